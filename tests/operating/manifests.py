"""What deploy/ has to keep to: a list of complaints about manifests of Kubernetes and about a Compose file."""

import re

# Any other word there is a typing mistake, which Kubernetes would drop without a word in some places.
CONTAINER = set(
    "name image args command env envFrom ports startupProbe livenessProbe readinessProbe lifecycle resources "
    "securityContext volumeMounts workingDir imagePullPolicy".split()
)
POD = set(
    "serviceAccountName automountServiceAccountToken terminationGracePeriodSeconds securityContext "
    "topologySpreadConstraints affinity containers initContainers volumes nodeSelector tolerations priorityClassName".split()
)
PROBE = set("httpGet exec tcpSocket periodSeconds timeoutSeconds failureThreshold successThreshold initialDelaySeconds".split())
VERSIONS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "PodDisruptionBudget": "policy/v1",
    **{kind: "v1" for kind in ("Service", "Secret", "Namespace", "ServiceAccount", "ConfigMap")},
}


def image_complaint(image):
    """A tag that says a version, or a digest."""
    if re.search(r"(@sha256:[0-9a-f]{64}|:[\w.-]*\d[\w.-]*)$", image or "") and not image.endswith(":latest"):
        return []
    return [f"image {image} has no version"]


def probe_complaints(name, container):
    found = []
    for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container.get(kind)
        if not probe:
            found.append(f"{name} has no {kind}")
            continue
        found += [f"{name}: {kind} has {word}" for word in sorted(set(probe) - PROBE)]
        if len({"httpGet", "exec", "tcpSocket"} & set(probe)) != 1:
            found.append(f"{name}: {kind} asks nothing")
        ports = {port.get("name") for port in container.get("ports", [])}
        if "httpGet" in probe and probe["httpGet"].get("port") not in ports:
            found.append(f"{name}: {kind} asks a port that is not there")
    liveness, readiness = container.get("livenessProbe", {}), container.get("readinessProbe", {})
    if liveness.get("httpGet") and liveness["httpGet"] == readiness.get("httpGet"):
        found.append(f"{name}: a server whose store is away would be started again")
    return found


def container_complaints(container, volumes):
    name = container.get("name")
    found = [f"{name} has {word}" for word in sorted(set(container) - CONTAINER)]
    found += image_complaint(container.get("image"))
    found += probe_complaints(name, container)
    resources = container.get("resources", {})
    if not {"cpu", "memory"} <= set(resources.get("requests", {})) or "memory" not in resources.get("limits", {}):
        found.append(f"{name} does not say what it needs")
    context = container.get("securityContext", {})
    wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    found += [f"{name}: securityContext without {word}" for word, value in wanted.items() if context.get(word) != value]
    found += [f"{name} mounts {mount['name']}, which is not there" for mount in container.get("volumeMounts", []) if mount["name"] not in volumes]
    found += [f"{name} holds a secret in plain" for one in container.get("env", []) if "PASSWORD" in one["name"] and "valueFrom" not in one]
    return found


def memory_complaints(name, words, limit):
    """What requests and graphs of vectors may take, and half a gibibyte for all else."""
    given = {word.split("=")[0]: int(word.split("=")[1]) for word in words if re.fullmatch(r"--(memory-budget|vector-memory)=\d+", word)}
    needed = given.get("--memory-budget", 512) + given.get("--vector-memory", 1024) + 512
    units = {"Mi": 1, "Gi": 1024, "m": 1, "g": 1024}
    number, unit = re.fullmatch(r"(\d+)(Mi|Gi|m|g)", limit).groups()
    return [f"{name} may use {needed} MiB, and gets {limit}"] if int(number) * units[unit] < needed else []


def workload_complaints(manifest):
    spec = manifest["spec"]
    pod = spec["template"]["spec"]
    found = [f"the pod has {word}" for word in sorted(set(pod) - POD)]
    labels = spec["template"]["metadata"].get("labels", {})
    if not spec["selector"]["matchLabels"].items() <= labels.items():
        found.append("the selector does not find its own pods")
    if pod.get("automountServiceAccountToken") is not False:
        found.append("the pod gets a token of Kubernetes that it has no use for")
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True or context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        found.append("the pod may run as root or call whatever it likes")
    if spec.get("replicas", 1) > 1 and not ({"topologySpreadConstraints", "affinity"} & set(pod)):
        found.append("all pods may be on one machine")
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    volumes |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
    for container in pod["containers"]:
        found += container_complaints(container, volumes)
        if "serve" in container.get("args", []) and "memory" in container.get("resources", {}).get("limits", {}):
            found += memory_complaints(container["name"], container["args"], container["resources"]["limits"]["memory"])
    return found


def secret_references(value):
    """(secret, key) of everything below."""
    if isinstance(value, dict):
        if "secretKeyRef" in value:
            yield value["secretKeyRef"]["name"], value["secretKeyRef"]["key"]
        if "secretName" in value:
            yield from ((value["secretName"], item["key"]) for item in value.get("items", []))
        value = value.values()
    if isinstance(value, (dict, list)) or hasattr(value, "__iter__") and not isinstance(value, str):
        for one in value:
            yield from secret_references(one)


def kubernetes_complaints(manifests):
    found = []
    secrets = {one["metadata"]["name"]: one.get("stringData", {}) for one in manifests if one["kind"] == "Secret"}
    budgets = [one["spec"] for one in manifests if one["kind"] == "PodDisruptionBudget"]
    services = [one["spec"]["selector"] for one in manifests if one["kind"] == "Service"]
    for manifest in manifests:
        kind, name = manifest["kind"], manifest["metadata"]["name"]
        more = []
        if VERSIONS.get(kind) != manifest["apiVersion"]:
            more.append(f"{kind} is none of {manifest['apiVersion']}")
        if kind != "Namespace" and "namespace" not in manifest["metadata"]:
            more.append("no namespace is named")
        if kind in ("Deployment", "StatefulSet"):
            more += workload_complaints(manifest)
            labels = manifest["spec"]["template"]["metadata"].get("labels", {})
            mine = [one for one in budgets if one["selector"]["matchLabels"].items() <= labels.items()]
            replicas = manifest["spec"].get("replicas", 1)
            if replicas > 1 and not any(0 < one.get("minAvailable", 0) < replicas for one in mine):
                more.append("no PodDisruptionBudget lets it be drained one by one")
            if not any(selector.items() <= labels.items() for selector in services):
                more.append("no Service leads to it")
        for secret, key in secret_references(manifest):
            if key not in secrets.get(secret, {}):
                more.append(f"there is no {key} in the Secret {secret}")
        found += [f"{kind} {name}: {complaint}" for complaint in more]
    return found


def compose_complaints(compose):
    found = []
    known = {"services", "volumes", "secrets", "networks", "name"}
    found += [f"the file has {word}" for word in compose if word not in known and not word.startswith("x-")]
    services = compose["services"]
    for name, service in services.items():
        found += [f"{name}: {one}" for one in image_complaint(service.get("image"))]
        for word in ("healthcheck", "restart", "mem_limit", "cpus"):
            if word not in service:
                found.append(f"{name} has no {word}")
        if service.get("cap_drop") != ["ALL"] or "no-new-privileges:true" not in service.get("security_opt", []):
            found.append(f"{name} may do more than it needs to")
        found += [f"{name} waits for {other}, which is not there" for other in service.get("depends_on", {}) if other not in services]
        found += [f"{name}: there is no secret {one}" for one in service.get("secrets", []) if one not in compose.get("secrets", {})]
        if "serve" in service.get("command", []):
            found += memory_complaints(name, service["command"], service.get("mem_limit", "0m"))
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if not source.startswith((".", "/")) and source not in compose.get("volumes", {}):
                found.append(f"{name}: there is no volume {source}")
        for port in service.get("ports", []):
            if not str(port).startswith("127.0.0.1:"):
                found.append(f"{name} offers {port} to everybody")
        for word, value in (service.get("environment") or {}).items():
            if "PASSWORD" in word and not str(value).startswith("${"):
                found.append(f"{name} holds a secret in plain")
    return found
