using System;
using System.Net.Http;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Partita
{
    /// <summary>A call that was refused.</summary>
    public sealed class CallFailed : Exception
    {
        internal CallFailed(string operation, string code, string message)
            : base(operation + ": " + code + ": " + message)
        {
            Code = code;
        }

        /// <summary>DynamoDB's name for it, such as ResourceNotFoundException.</summary>
        public string Code { get; }
    }

    /// <summary>
    /// A database of a server: that of a namespace. Its members may be used from any thread. Calls that are refused
    /// throw CallFailed, and those without a reply HttpRequestException.
    /// </summary>
    public sealed class Database
    {
        private const string Own = "Partita_20261123.";
        private const string Dynamo = "DynamoDB_20120810.";
        private static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromMinutes(1) };

        /// <summary>The database of a namespace of a running server, which has `--namespaces key`.</summary>
        public Database(Uri endpoint, string name)
        {
            Endpoint = endpoint;
            Namespace = name;
        }

        /// <summary>The server's URL, for the ServiceURL of an SDK's client.</summary>
        public Uri Endpoint { get; }

        /// <summary>For the client's access key id. The secret may be anything.</summary>
        public string Namespace { get; }

        /// <summary>Makes one of Partita's own calls, such as "CreateSnapshot". Members and reply are JSON.</summary>
        public Task<string> CallAsync(string operation, string members) => PostAsync(Own + operation, members);

        /// <summary>Makes one of DynamoDB's calls, such as "CreateTable". Members and reply are JSON.</summary>
        public Task<string> DynamoDBAsync(string operation, string members) => PostAsync(Dynamo + operation, members);

        /// <summary>Keeps the state of all tables under that name.</summary>
        public Task CreateSnapshotAsync(string name) => CallAsync("CreateSnapshot", Named(name));

        /// <summary>All tables, items and settings as they were when the snapshot of that name was created.</summary>
        public Task RollbackAsync(string name) => CallAsync("RollbackToSnapshot", Named(name));

        /// <summary>Deletes the snapshot of that name.</summary>
        public Task DeleteSnapshotAsync(string name) => CallAsync("DeleteSnapshot", Named(name));

        /// <summary>
        /// Moves the clock, by whole seconds. What has expired by the new time is deleted within about a second.
        /// </summary>
        public Task AdvanceClockAsync(TimeSpan by)
        {
            if (by.Ticks % TimeSpan.TicksPerSecond != 0)
                throw new ArgumentException("The clock moves by whole seconds, not by " + by + ".", nameof(by));
            return CallAsync("MoveClock", "{\"Seconds\":" + by.Ticks / TimeSpan.TicksPerSecond + "}");
        }

        /// <summary>The clock is the machine's again.</summary>
        public Task ResetClockAsync() => CallAsync("MoveClock", "{\"OffsetSeconds\":0}");

        /// <summary>Deletes the database with everything in it. Nothing happens if it was never used.</summary>
        public async Task DeleteAsync()
        {
            try
            {
                await CallAsync("DeleteNamespace", Named(Namespace)).ConfigureAwait(false);
            }
            catch (CallFailed failed) when (failed.Code == "ResourceNotFoundException")
            {
                // It was never used.
            }
        }

        private static string Named(string name) =>
            "{\"Name\":\"" + name.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"}";

        private async Task<string> PostAsync(string target, string members)
        {
            using (var request = new HttpRequestMessage(HttpMethod.Post, Endpoint))
            {
                request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(members));
                request.Content.Headers.TryAddWithoutValidation("Content-Type", "application/x-amz-json-1.0");
                request.Headers.TryAddWithoutValidation("X-Amz-Target", target);
                // Nothing is verified: the server of tests has no credentials.
                request.Headers.TryAddWithoutValidation("X-Amz-Date", "20260101T000000Z");
                request.Headers.TryAddWithoutValidation("Authorization", "AWS4-HMAC-SHA256 Credential=" + Namespace
                    + "/20260101/" + Server.Region + "/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature="
                    + new string('0', 64));
                using (var reply = await Http.SendAsync(request).ConfigureAwait(false))
                {
                    var body = await reply.Content.ReadAsStringAsync().ConfigureAwait(false);
                    if (reply.IsSuccessStatusCode) return body;
                    var type = Regex.Match(body, "\"__type\"\\s*:\\s*\"(?:[^\"]*#)?([^\"]*)\"");
                    var message = Regex.Match(body, "\"[Mm]essage\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
                    throw new CallFailed(target, type.Success ? type.Groups[1].Value : "HTTP " + (int)reply.StatusCode,
                        message.Groups[1].Value.Replace("\\\"", "\""));
                }
            }
        }
    }
}
