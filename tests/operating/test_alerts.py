"""The alert rules of deploy/prometheus: each fires on what it is for, is quiet otherwise, and has its section in the runbook."""

import json
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "prometheus" / "partita.rules.yml"
RUNBOOK = ROOT / "docs" / "runbook.md"
SERVER = 'instance="db1:8000",job="partita"'

# alert: ({series: values} that make it fire, {series: values} of a server that is well, minutes until it fires).
# "A+BxN" is Prometheus's notation: A, then N more values, each B larger; one value a minute.
STORIES = {
    "PartitaDown": ({f"up{{{SERVER}}}": "0x10"}, {f"up{{{SERVER}}}": "1x10"}, 5),
    "PartitaStoreDown": ({f"partita_store_up{{{SERVER}}}": "0x10"}, {f"partita_store_up{{{SERVER}}}": "1x10"}, 5),
    "PartitaStoreDamaged": (
        {f"partita_store_damaged_files{{{SERVER}}}": "1x10"},
        {f"partita_store_damaged_files{{{SERVER}}}": "0x10", f"partita_store_corrupt_reads_total{{{SERVER}}}": "2x10"},
        5,
    ),
    "PartitaLogLinesLost": (
        {f'partita_log_lines_dropped_total{{{SERVER},log="server"}}': "0+5x30"},
        {f'partita_log_lines_dropped_total{{{SERVER},log="server"}}': "5x30"},
        20,
    ),
    "PartitaInternalErrors": (
        {f'partita_errors_total{{{SERVER},operation="Scan",error="InternalServerError"}}': "0+1x30"},
        {f'partita_errors_total{{{SERVER},operation="Scan",error="ConditionalCheckFailedException"}}': "0+1x30"},
        20,
    ),
    "PartitaOutOfRequestMemory": (
        {f'partita_errors_total{{{SERVER},operation="Scan",error="ServiceUnavailableException"}}': "0+1x30"},
        {f'partita_errors_total{{{SERVER},operation="Scan",error="ServiceUnavailableException"}}': "7x30"},
        20,
    ),
    "PartitaSlowCommits": (
        {f'partita_store_commit_seconds_bucket{{{SERVER},le="0.1"}}': "0x60",
         f'partita_store_commit_seconds_bucket{{{SERVER},le="1"}}': "0+9x60",
         f'partita_store_commit_seconds_bucket{{{SERVER},le="+Inf"}}': "0+9x60"},
        {f'partita_store_commit_seconds_bucket{{{SERVER},le="0.1"}}': "0+9x60",
         f'partita_store_commit_seconds_bucket{{{SERVER},le="1"}}': "0+9x60",
         f'partita_store_commit_seconds_bucket{{{SERVER},le="+Inf"}}': "0+9x60"},
        30,
    ),
    "PartitaWritesStopped": ({f"partita_store_writes_stopped{{{SERVER}}}": "1x10"},
                             {f"partita_store_writes_stopped{{{SERVER}}}": "0x10"}, 5),
    "PartitaCompactionsBehind": (
        {f"partita_store_compaction_pending_bytes{{{SERVER}}}": "33000000000+1000000x180"},
        {f"partita_store_compaction_pending_bytes{{{SERVER}}}": "90000000000-1000000x180"},
        150,
    ),
    "PartitaThrottling": ({f"partita_throttled_total{{{SERVER}}}": "0+120x60"},
                          {f"partita_throttled_total{{{SERVER}}}": "0+6x60"}, 40),
    "PartitaConnectionsAtLimit": (
        {f"partita_connections{{{SERVER}}}": "990x20", f"partita_connections_limit{{{SERVER}}}": "1000x20"},
        {f"partita_connections{{{SERVER}}}": "900x20", f"partita_connections_limit{{{SERVER}}}": "1000x20"},
        15,
    ),
    "PartitaOpenFilesAtLimit": (
        {f"process_open_fds{{{SERVER}}}": "1000x20", f"process_max_fds{{{SERVER}}}": "1024x20"},
        {f"process_open_fds{{{SERVER}}}": "100x20", f"process_max_fds{{{SERVER}}}": "1024x20"},
        15,
    ),
    "PartitaCatalogueStale": ({f"partita_catalog_age_seconds{{{SERVER}}}": "9x10"},
                              {f"partita_catalog_age_seconds{{{SERVER}}}": "0.5x10"}, 5),
    "PartitaExpiryLate": ({f'partita_ttl_late_seconds{{{SERVER},table="Music"}}': "7200x40"},
                          {f'partita_ttl_late_seconds{{{SERVER},table="Music"}}': "60x40"}, 30),
    "PartitaStreamReaderBehind": (
        {f'partita_stream_read_age_seconds_bucket{{{SERVER},le="33554.432"}}': "0x60",
         f'partita_stream_read_age_seconds_bucket{{{SERVER},le="67108.864"}}': "0+9x60",
         f'partita_stream_read_age_seconds_bucket{{{SERVER},le="+Inf"}}': "0+9x60"},
        {f'partita_stream_read_age_seconds_bucket{{{SERVER},le="33554.432"}}': "0+9x60",
         f'partita_stream_read_age_seconds_bucket{{{SERVER},le="67108.864"}}': "0+9x60",
         f'partita_stream_read_age_seconds_bucket{{{SERVER},le="+Inf"}}': "0+9x60"},
        50,
    ),
    "PartitaStreamTrimLate": ({f"partita_stream_trim_late_seconds{{{SERVER}}}": "900x40"},
                              {f"partita_stream_trim_late_seconds{{{SERVER}}}": "30x40"}, 30),
    "PartitaJobAbandoned": (
        {f'partita_job_untouched_seconds{{{SERVER},kind="fill_index",table="Music",here="no"}}': "90x20"},
        {f'partita_job_untouched_seconds{{{SERVER},kind="fill_index",table="Music",here="yes"}}': "1x20"},
        15,
    ),
    "PartitaTracesDropped": (
        {f'partita_trace_spans_total{{{SERVER},outcome="dropped"}}': "0+1x60"},
        {f'partita_trace_spans_total{{{SERVER},outcome="sent"}}': "0+1x60"},
        45,
    ),
}


def rules():
    return {rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}


def firing(tmp_path, alert, series, minutes):
    """Whether the rule fires then, as promtool sees it."""
    rule = rules()[alert]
    one = tmp_path / "rules.json"
    one.write_text(json.dumps({"groups": [{"name": "one", "rules": [{**rule, "annotations": {}, "labels": {}}]}]}))
    story = tmp_path / "story.json"
    story.write_text(json.dumps({
        "rule_files": [str(one)],
        "evaluation_interval": "1m",
        "tests": [{
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "alert_rule_test": [{"alertname": alert, "eval_time": f"{minutes}m", "exp_alerts": []}],
        }],
    }))
    ran = subprocess.run(["promtool", "test", "rules", str(story)], capture_output=True, text=True, timeout=60)
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0 or "got:[" in said.replace(" ", ""), said
    return ran.returncode != 0  # no alert was expected


def test_prometheus_takes_the_rules():
    ran = subprocess.run(["promtool", "check", "rules", str(RULES)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("alert", sorted(rules()))
def test_an_alert_fires_on_what_it_is_for(tmp_path, alert):
    fires, quiet, minutes = STORIES[alert]
    assert firing(tmp_path, alert, fires, minutes)
    assert not firing(tmp_path, alert, quiet, minutes)


def test_a_read_that_met_damage_fires_too(tmp_path):
    assert firing(tmp_path, "PartitaStoreDamaged", {f"partita_store_corrupt_reads_total{{{SERVER}}}": "0 0 0 2x10"}, 8)


def test_each_alert_has_its_section_in_the_runbook():
    text = RUNBOOK.read_text()
    sections = dict(re.findall(r"^## (Partita\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(rules()) == set(STORIES)
    for alert, section in sections.items():
        for part in ("**Meaning**", "**Look**", "**"):
            assert part in section, (alert, part)
        assert rules()[alert]["annotations"]["runbook_url"] == f"docs/runbook.md#{alert.lower()}"


def test_alerts_and_runbook_name_metrics_that_there_are():
    known = (ROOT / "docs" / "operations.md").read_text()
    named = set(re.findall(r"\b(?:partita|process)_[a-z0-9_]+", RULES.read_text() + RUNBOOK.read_text()))
    for name in named - {"partita_rules"}:
        family = re.sub(r"_(bucket|sum|count)$", "", name)
        assert family in known, f"docs/operations.md does not explain {family}"
