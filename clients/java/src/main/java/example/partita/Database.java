package example.partita;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A database of a server: that of a namespace. Its methods may be called from any thread. */
public final class Database {
    private static final String OWN = "Partita_20261123.";
    private static final String DYNAMODB = "DynamoDB_20120810.";
    private static final Pattern TYPE = Pattern.compile("\"__type\"\\s*:\\s*\"(?:[^\"]*#)?([^\"]*)\"");
    private static final Pattern MESSAGE = Pattern.compile("\"[Mm]essage\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*+)\"");
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI endpoint;
    private final String namespace;

    /** The database of a namespace of a running server, which has {@code --namespaces key}. */
    public Database(URI endpoint, String namespace) {
        this.endpoint = endpoint;
        this.namespace = namespace;
    }

    /** For {@code endpointOverride} of an SDK's client. */
    public URI endpoint() {
        return endpoint;
    }

    /** For the client's access key id. The secret may be anything. */
    public String namespace() {
        return namespace;
    }

    /** Makes one of Partita's own calls, such as "CreateSnapshot". Members and reply are JSON. Errors: CallFailed. */
    public String call(String operation, String members) {
        return post(OWN + operation, members);
    }

    /** Makes one of DynamoDB's calls, such as "CreateTable", without an SDK. Members and reply are JSON. */
    public String dynamodb(String operation, String members) {
        return post(DYNAMODB + operation, members);
    }

    /** Keeps the state of all tables under that name. */
    public void createSnapshot(String name) {
        call("CreateSnapshot", named(name));
    }

    /** All tables, items and settings as they were when the snapshot of that name was created. */
    public void rollback(String name) {
        call("RollbackToSnapshot", named(name));
    }

    public void deleteSnapshot(String name) {
        call("DeleteSnapshot", named(name));
    }

    /**
     * Moves the database's clock, by whole seconds. What has expired by the new time is deleted within about a second.
     */
    public void advanceClock(Duration by) {
        if (by.getNano() != 0) {
            throw new IllegalArgumentException("The clock moves by whole seconds, not by " + by + ".");
        }
        call("MoveClock", "{\"Seconds\":" + by.toSeconds() + "}");
    }

    /** The clock is the machine's again. */
    public void resetClock() {
        call("MoveClock", "{\"OffsetSeconds\":0}");
    }

    /** Deletes the database with everything in it. Nothing happens if it was never used. */
    public void delete() {
        try {
            call("DeleteNamespace", named(namespace));
        } catch (CallFailed failed) {
            if (!failed.code().equals("ResourceNotFoundException")) {
                throw failed;
            }
        }
    }

    private static String named(String name) {
        return "{\"Name\":\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
    }

    private String post(String target, String members) {
        HttpRequest request = HttpRequest.newBuilder(endpoint).timeout(Duration.ofMinutes(1))
            .header("Content-Type", "application/x-amz-json-1.0").header("X-Amz-Target", target)
            // Nothing is verified: the server of tests has no credentials.
            .header("X-Amz-Date", "20260101T000000Z")
            .header("Authorization", "AWS4-HMAC-SHA256 Credential=" + namespace + "/20260101/" + Partita.REGION
                + "/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + "0".repeat(64))
            .POST(HttpRequest.BodyPublishers.ofString(members)).build();
        HttpResponse<String> reply;
        try {
            reply = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException error) {
            throw new CallFailed(target, "IOException", error.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CallFailed(target, "InterruptedException", "interrupted before the reply");
        }
        if (reply.statusCode() == 200) {
            return reply.body();
        }
        throw new CallFailed(target, found(TYPE, reply.body(), "HTTP " + reply.statusCode()),
            found(MESSAGE, reply.body(), "").replace("\\\"", "\""));
    }

    private static String found(Pattern pattern, String body, String otherwise) {
        Matcher matcher = pattern.matcher(body);
        return matcher.find() ? matcher.group(1) : otherwise;
    }
}
