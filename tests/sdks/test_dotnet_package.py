"""The sources of clients/dotnet, compiled by Mono's compiler for Mono and for .NET Core 3.1, and run there: the README's
example, and what they do for tests. The project file is not built, and AWS's SDK is not used: both need NuGet."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "support")]

import clients  # noqa: E402
from waiting import wait_for_end  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "clients" / "dotnet"
BUILT = ROOT / "build" / "sdks" / "dotnet"
LOCK = ROOT / "tests" / "sdks" / "dotnet" / "runtime.txt"
COMPILE = ["mcs", "-langversion:7.2", "-warnaserror"]
TOLD_S = 300

MORE = r'''
using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Partita;

static class More
{
    const string Table = @"{""TableName"": ""Music"", ""BillingMode"": ""PAY_PER_REQUEST"",
        ""AttributeDefinitions"": [{""AttributeName"": ""Artist"", ""AttributeType"": ""S""}],
        ""KeySchema"": [{""AttributeName"": ""Artist"", ""KeyType"": ""HASH""}]}";

    static int Main(string[] words)
    {
        if (words.Length > 0) return Wait(words[0]);
        using (var server = new Server())
        {
            Task.WhenAll(Enumerable.Range(0, 100).Select(n => Alone(server.Database("test-" + n)))).GetAwaiter().GetResult();
            SnapshotsAndTheClock(server.Database("clock")).GetAwaiter().GetResult();
        }
        NotStarted();
        Ends();
        Console.WriteLine("all is well");
        return 0;
    }

    static int Wait(string what)
    {
        Console.WriteLine(new Server().Id);
        if (what == "wait") Thread.Sleep(TimeSpan.FromMinutes(10));
        return 0;
    }

    static void Check(bool holds, string what)
    {
        if (!holds) throw new Exception(what);
    }

    static async Task Put(Database database)
    {
        var until = DateTimeOffset.UtcNow.ToUnixTimeSeconds() + 3600;
        await database.DynamoDBAsync("PutItem", @"{""TableName"": ""Music"", ""Item"": {""Artist"": {""S"": ""Brief""}, ""Until"": {""N"": """
            + until + @"""}}}");
    }

    static async Task<bool> Holds(Database database) =>
        !(await database.DynamoDBAsync("Scan", @"{""TableName"": ""Music""}")).Contains(@"""Count"":0");

    static async Task Alone(Database database)
    {
        await database.DynamoDBAsync("CreateTable", Table);
        Check(!await Holds(database), "another's item");
        await Put(database);
        Check(await Holds(database), "no item");
        await database.DeleteAsync();
        await database.DeleteAsync();
    }

    static async Task SnapshotsAndTheClock(Database database)
    {
        await database.DynamoDBAsync("CreateTable", Table);
        await database.CreateSnapshotAsync("empty");
        await Put(database);
        await database.RollbackAsync("empty");
        Check(!await Holds(database), "the rollback left an item");
        await database.DynamoDBAsync("UpdateTimeToLive",
            @"{""TableName"": ""Music"", ""TimeToLiveSpecification"": {""AttributeName"": ""Until"", ""Enabled"": true}}");
        await Put(database);
        try
        {
            await database.AdvanceClockAsync(TimeSpan.FromMilliseconds(1500));
            Check(false, "the clock moved by half a second");
        }
        catch (ArgumentException)
        {
        }
        await database.AdvanceClockAsync(TimeSpan.FromHours(2));
        for (var begun = Stopwatch.StartNew(); await Holds(database); await Task.Delay(20))
            Check(begun.Elapsed < TimeSpan.FromSeconds(20), "the item did not expire");
        await database.ResetClockAsync();
        Check((await database.CallAsync("DescribeClock", "{}")).Contains(@"""OffsetSeconds"":0"), "the clock is ahead");
        await database.DeleteSnapshotAsync("empty");
        try
        {
            await database.RollbackAsync("empty");
        }
        catch (CallFailed refused)
        {
            Check(refused.Code == "ResourceNotFoundException" && refused.Message.Contains("empty"), refused.Message);
            return;
        }
        Check(false, "it was not refused");
    }

    static void NotStarted()
    {
        try
        {
            new Server(null, "--nonsense");
        }
        catch (InvalidOperationException why)
        {
            Check(why.Message.Contains("--nonsense"), why.Message);
            return;
        }
        Check(false, "it started");
    }

    static void Ends()
    {
        var server = new Server();
        var database = server.Database("any");
        var listed = database.DynamoDBAsync("ListTables", "{}").Result;
        Check(listed == @"{""TableNames"":[]}", listed);
        var id = server.Id;
        server.Dispose();
        server.Dispose();
        Check(!System.IO.Directory.Exists("/proc/" + id), "the server goes on");
        Check(database.DynamoDBAsync("ListTables", "{}").ContinueWith(task => task.IsFaulted).Result, "it answers");
    }
}
'''


def run(*words, **more):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=TOLD_S, check=False, **more)


class Mono:
    name = "mono"
    references = ["-r:System.Net.Http"]
    command = ["mono"]


class NetCore:
    """The runtime that a package of PyPI has, with its class library as what the sources are compiled against."""

    def __init__(self):
        self.name = "netcore"
        try:
            clients.once(BUILT, LOCK, lambda: clients.pip_install(BUILT, LOCK))
        except clients.Unavailable as why:
            pytest.skip(f"the runtime is not available: {why}")
        [host] = BUILT.glob("lib/python*/site-packages/dotnetcore2/bin/dotnet")
        host.chmod(0o755)
        [library] = host.parent.glob("shared/Microsoft.NETCore.App/*")
        assemblies = [path for path in library.glob("System*.dll") if "WindowsRuntime" not in path.name]
        # 1702: assemblies of one version name each other.
        self.references = ["-nowarn:1702", "-nostdlib", "-noconfig", "-sdk:none", f"-r:{library / 'netstandard.dll'}",
                           *(f"-r:{path}" for path in sorted(assemblies))]
        self.command = [host]


@pytest.fixture(scope="module", params=[Mono, NetCore])
def runtime(request):
    if "dotnet" not in os.environ.get("PARTITA_SDKS", "dotnet").split():
        pytest.skip("./dev sdks runs it")
    for tool in ("mcs", "mono"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool}")
    return request.param()


def built(runtime, folder, name, text):
    source, program = folder / f"{name}.cs", folder / f"{name}.exe"
    source.write_text(text)
    compiled = run(*COMPILE, *runtime.references, f"-out:{program}", source, *sorted(PACKAGE.glob("*.cs")))
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    (folder / f"{name}.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"},
        "configProperties": {"System.Globalization.Invariant": True}}}))
    return [*runtime.command, program]


def test_the_readme(runtime, tmp_path):
    [(name, text)] = re.findall(r"```csharp\n// (\S+)\.cs\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    ended = run(*built(runtime, tmp_path, name, text))
    assert (ended.returncode, ended.stdout) == (0, '{"Items":[],"Count":0,"ScannedCount":0}\n'), ended.stderr


def test_what_it_does_for_tests(runtime, tmp_path):
    program = built(runtime, tmp_path, "more", MORE)
    ended = run(*program)
    assert (ended.returncode, ended.stdout) == (0, "all is well\n"), ended.stdout + ended.stderr
    returned = run(*program, "return")
    wait_for_end(int(returned.stdout))
    with subprocess.Popen([*map(str, program), "wait"], stdout=subprocess.PIPE, text=True) as waiting:
        server = int(waiting.stdout.readline())
        os.kill(server, 0)
        waiting.send_signal(signal.SIGKILL)
    wait_for_end(server)


def test_the_project_file_is_xml_for_the_oldest_standard():
    found = xml.etree.ElementTree.parse(PACKAGE / "Partita.csproj").find("PropertyGroup/TargetFramework")
    assert found.text == "netstandard2.0"
