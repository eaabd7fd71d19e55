-- JobSubmitPlugins=lua, beside slurm.conf: a job that names no time limit but asks for one in its script,
--
--     #ETAD --like 12 --epochs 10
--
-- gets the upper bound of etad's estimate. What stands there is a question as `etactl estimate` takes it. A job without
-- such a line, or one that names its limit, is left alone; so is one that etad has no answer for, but for a message.
-- slurmctld waits for the answer, which takes milliseconds and is given up after two seconds.

local CONFIDENCE = "0.99"

-- What a script may ask. Options that name files or sockets are not for others to set: the question is put by
-- slurmctld's own user.
local ALLOWED = {}
for name in ([[like epochs samples-per-epoch iterations batch-size phase architecture framework host device devices
    test-interval test-iterations test-batch-size snapshot-interval set]]):gmatch("%S+") do
  ALLOWED["--" .. name] = true
end

-- The question of a script, each argument quoted for the shell; nil: none, or what is wrong with it.
local function question(script)
  local line = ("\n" .. (script or "")):match("\n#ETAD +([^\n]+)")
  if line == nil then return nil end
  local arguments = {}
  for argument in line:gmatch("%S+") do
    if argument:sub(1, 1) == "-" and not ALLOWED[argument:match("^[^=]*")] then
      return nil, "#ETAD knows no option " .. argument
    end
    arguments[#arguments + 1] = "'" .. argument:gsub("'", "'\\''") .. "'"
  end
  return table.concat(arguments, " ")
end

function slurm_job_submit(job, partition, uid)
  if job.time_limit ~= slurm.NO_VAL then return slurm.SUCCESS end
  local asked, mistake = question(job.script)
  if mistake ~= nil then
    slurm.log_user(mistake)
    return slurm.ERROR
  end
  if asked == nil then return slurm.SUCCESS end
  local pipe = io.popen("timeout 2 etactl estimate " .. asked .. " --confidence " .. CONFIDENCE .. " --hms 2>&1")
  local answer = pipe:read("*a")
  pipe:close()
  local hours, minutes, seconds = answer:match("^(%d+):(%d%d):(%d%d)\n$")
  if hours == nil then
    slurm.log_user("etad has no estimate, the partition's limit holds: " .. answer:gsub("%s+$", ""))
    return slurm.SUCCESS
  end
  job.time_limit = tonumber(hours) * 60 + tonumber(minutes) + (tonumber(seconds) > 0 and 1 or 0)
  slurm.log_user("etad: time limit " .. job.time_limit .. " minutes")
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partition, uid)
  return slurm.SUCCESS
end
