using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Partita
{
    /// <summary>
    /// A server of Partita, a DynamoDB that you own, on a free port of the loopback interface. It answers when the
    /// constructor returns, and ends with Dispose or with this process, also when that is killed. Each access key id is
    /// a namespace with tables of its own. All members may be used from any thread.
    /// </summary>
    public sealed class Server : IDisposable
    {
        /// <summary>The region that Database signs for. Any other works, too.</summary>
        public const string Region = "us-east-1";

        private const int StartsInMs = 60000;
        private const int StopsInMs = 30000;
        private const int MostSaid = 8000;

        // The shell reads this from its input, and the server takes its place. Beside it, a second shell waits for the
        // end of that input, which this process holds open, and then ends the server, if that is still the parent.
        private const string UntilEndOfInput =
            "exec 3<&0; { read -r _; read -r _ _ _ parent _ </proc/self/stat; [ \"$parent\" != $$ ] || kill $$; }"
            + " <&3 >/dev/null 2>&1 & exec";

        private readonly Process process;
        private readonly StringBuilder said = new StringBuilder();
        private bool stopped;

        /// <summary>Starts a server.</summary>
        /// <param name="data">The directory of its data; null: in memory.</param>
        /// <param name="options">Of `partita serve`, such as "--seed", "tables".</param>
        /// <exception cref="InvalidOperationException">It did not start; the message has what it said.</exception>
        public Server(string data = null, params string[] options)
        {
            var where = data == null ? new[] { "--in-memory" } : new[] { "--data", data };
            var words = new[] { Program(), "serve", "--listen", "127.0.0.1:0", "--namespaces", "key" };
            var command = string.Join(" ", words.Concat(where).Concat(options).Select(Quoted));
            process = new Process { StartInfo = new ProcessStartInfo("/bin/sh", "-s") {
                UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true,
                RedirectStandardError = true,
            } };
            var first = new TaskCompletionSource<string>();
            process.OutputDataReceived += (_, line) => first.TrySetResult(line.Data);
            process.ErrorDataReceived += (_, line) => Log(line.Data);
            process.Start();
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            process.StandardInput.Write(UntilEndOfInput + " " + command + " 3<&- </dev/null\n");
            process.StandardInput.Flush();
            var told = first.Task.Wait(StartsInMs) ? first.Task.Result : null;
            var url = Regex.Match(told ?? "", "https?://[^ ,]+");
            if (!url.Success)
            {
                process.StandardInput.Close(); // the second shell ends, too
                Kill();
                process.WaitForExit();
                process.Dispose();
                lock (said) throw new InvalidOperationException("The server did not start: " + said.ToString().Trim());
            }
            Endpoint = new Uri(url.Value);
        }

        /// <summary>The server's URL.</summary>
        public Uri Endpoint { get; }

        /// <summary>The id of its process.</summary>
        public int Id => process.Id;

        /// <summary>The database of a namespace: the server makes it when it is first used.</summary>
        public Database Database(string name) => new Database(Endpoint, name);

        /// <summary>Stops the server and waits for its end. Later calls do nothing.</summary>
        public void Dispose()
        {
            lock (process)
            {
                if (stopped) return;
                stopped = true;
            }
            process.StandardInput.Close();
            var inTime = process.WaitForExit(StopsInMs);
            if (!inTime) Kill();
            process.Dispose();
            if (!inTime) throw new InvalidOperationException("The server did not stop in time. It was killed.");
        }

        /// <summary>The path of the program: PARTITA_BINARY, or else the first partita in PATH.</summary>
        private static string Program()
        {
            var named = Environment.GetEnvironmentVariable("PARTITA_BINARY");
            if (!string.IsNullOrEmpty(named)) return named;
            var found = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
                .Where(folder => folder != "").Select(folder => Path.Combine(folder, "partita"))
                .FirstOrDefault(File.Exists);
            return found ?? throw new InvalidOperationException(
                "The program partita is not in PATH: install it, or name it in PARTITA_BINARY.");
        }

        private static string Quoted(string word) => "'" + word.Replace("'", "'\\''") + "'";

        private void Kill()
        {
            try
            {
                process.Kill();
            }
            catch (SystemException)
            {
                // It has ended, or is ending, of which Mono makes a Win32Exception.
            }
        }

        private void Log(string line)
        {
            if (line == null) return;
            lock (said)
            {
                said.Append(line).Append('\n');
                if (said.Length > MostSaid) said.Remove(0, said.Length - MostSaid);
            }
        }
    }
}
