#!/usr/bin/env python3
"""GET /v1/openapi.json held against the routes there are and what they answer: openapi_test.py BUILD"""
import http.client
import json
import os
import re
import sys

try:
    from jsonschema import Draft202012Validator, FormatChecker
except ImportError:
    print("openapi_test: python3-jsonschema is not installed")
    sys.exit(77)
from world import FOLLOWED, ROOT, UnixConnection, main

NET = b"""layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }
layer { name: "f" type: "InnerProduct" bottom: "data" top: "f" inner_product_param { num_output: 10 } }
"""
formats = FormatChecker(formats=())
# Refusals that any request may get: they are the default response.
ANY = {400, 403, 405, 413, 415, 417, 431}
# Members that none of the requests below is shown.
UNSEEN = {"Health.failing.[].part", "Health.failing.[].why", "Health.failing.[].hint", "Usage.hint", "AnomalyTraces.hint",
          "Problem.known", "Problem.abstained", "Dispute.left_out_runs", "Dispute.own_runs", "Refused.owner", "Refused.what",
          "Refused.count", "Refused.last_at"}


@formats.checks("date-time")
def instant(text):
    return not isinstance(text, str) or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text) is not None


class Description:
    def __init__(self, document):
        self.document = document
        self.seen, self.described = set(), set()

    def resolve(self, schema):
        name = None
        while "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            schema = self.document["components"][schema["$ref"].split("/")[2]][name]
        return name, schema

    def operation(self, method, target):
        path = target.split("?")[0]
        for template, item in self.document["paths"].items():
            pattern = re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path) and method.lower() in item:
                return template, item[method.lower()]
        raise AssertionError(f"{method} {path} is not described")

    def check(self, method, target, status, media, text):
        """The answer is one of the described ones, and shows no member that is not."""
        template, operation = self.operation(method, target)
        where = f"{method} {target} -> {status} {media}"
        response = operation["responses"].get(str(status))
        if response is None:
            assert status in ANY, f"{where}: that status is not described: {text[:300]}"
            response = operation["responses"]["default"]
        content = self.resolve(response)[1]["content"]
        assert media in content, f"{where}: that media type is not described"
        if "schema" not in content[media] or not media.endswith("json"):
            return
        for line in text.splitlines() if media.endswith("ndjson") else [text]:
            if line.strip():
                self.check_value(where, content[media]["schema"], json.loads(line))

    def check_value(self, where, schema, value):
        root = {**strict(schema), "components": self.strict_components()}
        errors = list(Draft202012Validator(root, format_checker=formats).iter_errors(value))
        assert not errors, f"{where}: " + "; ".join(f"{'/'.join(map(str, e.absolute_path))}: {e.message[:400]}" for e in errors[:5])
        self.look(schema, value, "answer")

    def strict_components(self):
        if not hasattr(self, "components"):
            self.components = strict(self.document["components"])
        return self.components

    def look(self, schema, value, place):
        """Notes which of the described members the value shows."""
        name, schema = self.resolve(schema)
        place = name or place
        for branch in schema.get("anyOf", ()):
            if value is not None and branch.get("type") != "null":
                if Draft202012Validator({**strict(branch), "components": self.strict_components()}).is_valid(value):
                    self.look(branch, value, place)
        if isinstance(value, list) and "items" in schema:
            for each in value:
                self.look(schema["items"], each, place + ".[]")
        if isinstance(value, dict):
            for member, inner in schema.get("properties", {}).items():
                if member in value:
                    self.seen.add(f"{place}.{member}")
                    self.look(inner, value[member], f"{place}.{member}")

    def list_members(self, schema, place):
        for branch in schema.get("anyOf", ()):
            self.list_members(branch, place)
        if "items" in schema:
            self.list_members(schema["items"], place + ".[]")
        for member, inner in schema.get("properties", {}).items():
            self.described.add(f"{place}.{member}")
            self.list_members(inner, f"{place}.{member}")


def strict(schema):
    """The same schema, but that objects have no other members than those described."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


def parameters_of_the_source():
    """The query parameters that the service asks for, by its source."""
    out = set()
    for path in (ROOT / "daemon" / "service").glob("*.cpp"):
        out |= set(re.findall(r'params\.(?:has|text|text_or|integer|number|flag|instant|choice)\("([a-z_]+)"', path.read_text()))
    assert len(out) > 30, "the parameters are not found in the service's source"
    return out


def check_document(document, endpoints):
    assert document["openapi"].startswith("3.1."), document["openapi"]
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    described = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item if method != "parameters"}
    assert described == set(endpoints), f"described or routed, not both: {described ^ set(endpoints)}"
    text = json.dumps(document)
    for kind, name in set(re.findall(r'#/components/(\w+)/([\w.]+)"', text)):
        assert name in document["components"][kind], f"{kind} has no {name}"
    operations = [op for item in document["paths"].values() for method, op in item.items() if method != "parameters"]
    assert len({op["operationId"] for op in operations}) == len(operations), "an operationId is there twice"
    named = {each["name"] for each in document["components"]["parameters"].values()}
    named |= {each["name"] for op in operations for each in op.get("parameters", ()) if "name" in each}
    plain = {name for name in named if "." not in name} - {"id", "name", "labels", "beside"}
    assert plain == parameters_of_the_source() - {"name"}, f"asked for or described, not both: {plain ^ parameters_of_the_source()}"


def requests(world):
    """Every operation, answered and refused."""
    runs = world.json("/v1/runs?limit=1000")["runs"]
    running = next(run["id"] for run in runs if run["state"] == "running")
    timing = next(run["id"] for run in runs if run["job"] == "time")
    over = next(run["id"] for run in runs if run["source"].endswith("over.log"))
    saving = next(run["id"] for run in runs if run["source"].endswith("cifar10_quick_snap.log"))
    model = world.json("/v1/models")["models"][0]["id"]
    sources = world.json("/v1/sources")["sources"]
    imported = next(each["id"] for each in sources if each["kind"] == "import")
    followed = next(each["id"] for each in sources if each["path"].endswith("over.log"))
    train = "network=LeNet&phase=train&iterations=1000"
    gets = [
        "", "/openapi.json", "/health", "/health?x=1", "/estimators", "/estimators?x=1",
        f"/estimate?{train}&batch_size=48", f"/estimate?{train}&batch_size=48&confidence=0.5&setting.type=Adam",
        f"/estimate?{train}&batch_size=4096", f"/estimate?{train}&batch_size=64&devices=4", f"/estimate?{train}&batch_size=64&device=H100",
        f"/estimate?{train}", "/estimate?network=LeNet&phase=test&iterations=100&batch_size=100",
        "/estimate?network=LeNet&phase=total&iterations=1000&batch_size=64&test_interval=100&test_iterations=50"
        "&test_batch_size=100&snapshot_interval=500",
        f"/estimate?like={over}", f"/estimate?like={over}&epochs=2&samples_per_epoch=60000&at=2030-01-01", "/estimate?like=99999",
        "/estimate?network=lenett&phase=train&iterations=10", "/estimate?network=LeNet", f"/estimate?{train}&confidence=2",
        f"/whatif?{train}&vary=batch_size", f"/whatif?{train}&vary=batch_size&values=16,1000000", f"/whatif?{train}&batch_size=64&vary=devices",
        f"/whatif?{train}&batch_size=64&vary=device", f"/whatif?{train}&vary=network", "/whatif?network=x&vary=device&phase=train&iterations=1",
        f"/whatif?{train}&batch_size=64&vary=split&values=Tesla%20K80,Tesla%20K80",
        f"/whatif?{train}&batch_size=64&vary=device&values=Tesla%20K80,H100", f"/whatif?{train}&vary=split&values=K80",
        "/next?network=LeNet", "/next?network=LeNet&budget=1&phase=test", "/next?network=lenett", "/next",
        "/runs", "/runs?limit=2", "/runs?state=finished&network=lenet&framework=caffe&since=2h", "/runs?state=x",
        *(f"/runs/{run['id']}" for run in runs), f"/runs/{timing}", "/runs/99999",
        f"/runs/{running}/segments", f"/runs/{running}/segments?limit=2", f"/runs/{running}/segments?points=5", "/runs/99999/segments",
        f"/runs/{running}/progress", f"/runs/{running}/progress?points=5", "/runs/99999/progress", f"/runs/{running}/progress?points=1",
        f"/runs/{saving}/progress", f"/runs/{saving}/progress?points=5",
        "/networks", "/networks?limit=1", "/models", "/models?network=LeNet", f"/models/{model}", "/models/99999",
        "/accuracy", "/accuracy?network=LeNet", "/predictions", "/predictions?limit=0", "/sources", "/sources?limit=1",
        "/series", "/series?limit=1", "/series/gpu.power", "/series/gpu.power?step=0&label.gpu=0", "/series/gpu.power?from=2d&to=1d",
        "/series/gpu.powder", "/series/gpu.power?from=1h&to=2h",
    ]
    for target in gets:
        yield "GET", "/v1" + target, None, {}
    yield "GET", "/metrics", None, {}
    yield "GET", "/metrics", None, {"Accept": "application/openmetrics-text"}
    yield "GET", f"/v1/estimate?{train}&batch_size=48", None, {"Origin": "http://example.org"}
    log = FOLLOWED.read_bytes()
    yield "POST", "/v1/estimate?phase=train&batch_size=64&iterations=10", NET, {}
    yield "POST", "/v1/estimate?phase=train&batch_size=64&iterations=10", b"no network", {}
    yield "POST", "/v1/imports?name=/archive/again.log", log, {}
    yield "POST", "/v1/imports?name=/archive/other.log&format=auto&label.device=K80&beside.args.yaml=batch%3A%2016", log.replace(b"LeNet", b"Other"), {}
    yield "POST", "/v1/imports?name=/archive/odd.log&format=nonesuch", log.replace(b"LeNet", b"Odd"), {}
    yield "POST", "/v1/imports?name=/archive/odd.log", log, {"Content-Encoding": "br"}
    yield "GET", "/v1/estimate?network=Other&phase=train&iterations=10", None, {}
    cpu = (ROOT / "examples" / "caffe" / "lenet_b64_i500_tb100_ti50.log").read_bytes()
    yield "POST", "/v1/imports?name=/archive/cpu.log", cpu, {}
    for name, seconds in (("fast", 1), ("slow", 20)):  # without a device, and of two devices surely
        table = f"network,batch_size,iterations,seconds\nNowhere,64,100,{seconds}\n"
        yield "POST", f"/v1/imports?name=/archive/{name}.csv", table.encode(), {}
    for device, seconds in (("H100", 1), ("K80", 20)):
        table = f"network,device,batch_size,iterations,seconds\n" + f"Either,{device},64,100,{seconds}\n" * 3
        yield "POST", f"/v1/imports?name=/archive/{device}.csv", table.encode(), {}
    table = "network,device,phase,batch_size,iterations,seconds,energy_joules,peak_memory_bytes,setting.power_limit,run\n" + "".join(
        f"Costly,V100,{phase},{batch},100,{batch},{batch * limit},{3e9 + 1e7 * batch},{limit},{limit}\n"
        for phase in ("train", "test") for batch in (8, 16, 32, 64) for limit in (100, 200))
    yield "POST", "/v1/imports?name=/archive/costs.csv", table.encode(), {}
    table = "network,device,batch_size,iterations,seconds\n" + "".join(  # a slow device and a fast one
        f"Twice,{device},{batch},100,{batch * pace}\n" for device, pace in (("A", 1), ("B", 20)) for batch in (16, 32, 64))
    yield "POST", "/v1/imports?name=/archive/devices.csv", table.encode(), {}
    yield "POST", "/v1/refit", None, {}
    yield "GET", "/v1/estimate?network=Either&phase=train&iterations=10&batch_size=64", None, {}
    costly = "network=Costly&batch_size=24&iterations=10&setting.power_limit=200"
    yield "GET", f"/v1/estimate?{costly}&phase=train&quantity=energy", None, {}
    yield "GET", f"/v1/estimate?{costly}&phase=total&test_interval=5&test_iterations=2&test_batch_size=8&quantity=memory", None, {}
    yield "GET", f"/v1/whatif?{costly}&phase=train&vary=batch_size", None, {}
    yield "GET", f"/v1/estimate?{train}&batch_size=64&quantity=watts", None, {}
    yield "GET", f"/v1/estimate?{costly}&phase=train&setting.colour=red", None, {}
    yield "GET", "/v1/estimate?network=Other&phase=train&iterations=10&quantity=energy", None, {}
    yield "GET", "/v1/estimators?quantity=energy", None, {}
    yield "GET", "/v1/estimate?network=Nowhere&phase=train&iterations=10&batch_size=64", None, {}
    yield "GET", "/v1/health", None, {}
    yield "GET", f"/v1/estimate?{train}&batch_size=64", None, {}
    yield "POST", f"/v1/runs/{over}/labels", b'{"gpus": "0", "batch_size": null}', {}
    yield "POST", f"/v1/runs/{over}/labels", b"[]", {}
    yield "POST", "/v1/runs/99999/labels", b'{"gpus": "0"}', {}
    yield "POST", "/v1/reload", None, {}
    yield "POST", "/v1/backup", None, {}
    yield "POST", f"/v1/sources/{imported}/reread", None, {}
    yield "POST", f"/v1/sources/{followed}/reread", None, {}
    yield "POST", "/v1/sources/99999/reread", None, {}
    yield "DELETE", f"/v1/runs/{running}", None, {}
    yield "DELETE", f"/v1/runs/{timing}", None, {}
    yield "DELETE", "/v1/runs/99999", None, {}
    yield "DELETE", f"/v1/sources/{imported}", None, {}
    yield "DELETE", "/v1/sources/99999", None, {}
    yield "DELETE", f"/v1/owners/{os.getuid()}", None, {}
    yield "DELETE", "/v1/owners/99999", None, {}


def watched(world, count):
    """The first lines of a watch."""
    connection = UnixConnection(world.socket)
    connection.request("GET", "/v1/runs?watch=true")
    answer = connection.getresponse()
    lines = [answer.readline() for _ in range(count)]
    connection.close()
    return answer.status, answer.getheader("Content-Type"), b"".join(lines)


def test(world):
    document = world.json("/v1/openapi.json")
    check_document(document, world.json("/v1")["endpoints"])
    description = Description(document)
    answered = set()
    description.check("GET", "/v1/runs?watch=true", *watched(world, 5))
    for method, target, body, headers in requests(world):
        status, media, text = world.request(method, target, body, **headers)
        description.check(method, target, status, media, text)
        if status == 200:
            answered.add(description.operation(method, target)[1]["operationId"])
    wanted = {op["operationId"] for item in document["paths"].values() for method, op in item.items() if method != "parameters"}
    assert answered == wanted, f"never answered: {wanted - answered}"
    for name, schema in document["components"]["schemas"].items():
        description.list_members(schema, name)
    unseen = description.described - description.seen - UNSEEN
    assert not unseen, f"described, but in no answer: {sorted(unseen)}"


if __name__ == "__main__":
    main(test)
