package example.partita;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of Partita, a DynamoDB that you own, on a free port of the loopback interface. It answers when the
 * constructor returns, and ends with {@link #close} or with this process, also when that is killed.
 *
 * <p>Each access key id is a namespace with tables of its own: {@link #database} names one. All methods may be called
 * from any thread.
 */
public final class Partita implements AutoCloseable {
    /** The region that {@link Database} signs for. Any other works, too. */
    public static final String REGION = "us-east-1";

    private static final int STARTS_IN_S = 60;
    private static final int STOPS_IN_S = 30;
    private static final Pattern URL = Pattern.compile("https?://[^ ,]+");
    // The server takes the place of this shell. Beside it, a second one waits for the end of the pipe that this process
    // holds open, and then ends the server, if that is still the parent.
    private static final String UNTIL_END_OF_INPUT =
        "exec 3<&0; { read -r _; read -r _ _ _ parent _ </proc/self/stat; [ \"$parent\" != $$ ] || kill $$; }"
            + " <&3 >/dev/null 2>&1 & exec \"$@\" 3<&- </dev/null";

    private final Process process;
    private final Tail said;
    private final URI endpoint;

    /** A server in memory. {@code options} are those of {@code partita serve}, such as "--seed", "src/test/tables". */
    public Partita(String... options) {
        this(null, options);
    }

    /** A server with its data in the directory {@code data}, or in memory if that is null. */
    public Partita(Path data, String... options) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", UNTIL_END_OF_INPUT, "partita", program(), "serve",
            "--listen", "127.0.0.1:0", "--namespaces", "key"));
        words.addAll(data == null ? List.of("--in-memory") : List.of("--data", data.toString()));
        words.addAll(List.of(options));
        try {
            process = new ProcessBuilder(words).start();
        } catch (IOException error) {
            throw new IllegalStateException("The server did not start: " + error.getMessage(), error);
        }
        said = new Tail(process.getErrorStream());
        String url = null;
        try {
            url = readAddress();
        } finally {
            if (url == null) {
                process.destroyForcibly();
            }
        }
        endpoint = URI.create(url);
    }

    /** The server's URL, for {@code endpointOverride} of an SDK's client. */
    public URI endpoint() {
        return endpoint;
    }

    /** The id of the server's process. */
    public long pid() {
        return process.pid();
    }

    /** The database of a namespace: the server makes it when it is first used. */
    public Database database(String namespace) {
        return new Database(endpoint, namespace);
    }

    /** Stops the server and waits for its end. Later calls do nothing. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOPS_IN_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("The server did not stop within " + STOPS_IN_S + " s. It was killed.");
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The path of the program: PARTITA_BINARY, or else the first {@code partita} in PATH. */
    static String program() {
        String named = System.getenv("PARTITA_BINARY");
        if (named != null && !named.isEmpty()) {
            return named;
        }
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path file = Path.of(folder, "partita");
            if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                return file.toString();
            }
        }
        throw new IllegalStateException(
            "The program partita is not in PATH: install it, or name it in PARTITA_BINARY.");
    }

    private String readAddress() {
        BufferedReader out = reader(process.getInputStream());
        CompletableFuture<String> first = new CompletableFuture<>();
        daemon("partita-output", () -> {
            try {
                first.complete(out.readLine());
                while (out.readLine() != null) { } // what nobody reads would block the server
            } catch (IOException error) {
                first.complete(null);
            }
        });
        String line = null;
        try {
            line = first.get(STARTS_IN_S, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException error) {
            throw new IllegalStateException("The server did not start within " + STARTS_IN_S + " s: " + said.text());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the server started.");
        }
        Matcher found = URL.matcher(line == null ? "" : line);
        if (!found.find()) {
            throw new IllegalStateException("The server did not start: " + said.whole());
        }
        return found.group();
    }

    private static BufferedReader reader(InputStream stream) {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    private static Thread daemon(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The last of what a server logs. */
    private static final class Tail {
        private static final int MOST = 8000;
        private final StringBuilder text = new StringBuilder();
        private final Thread reader;

        Tail(InputStream stream) {
            reader = daemon("partita-log", () -> {
                try (BufferedReader lines = reader(stream)) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        add(line);
                    }
                } catch (IOException error) {
                    add(error.toString());
                }
            });
        }

        private synchronized void add(String line) {
            text.append(line).append('\n');
            text.delete(0, Math.max(0, text.length() - MOST));
        }

        synchronized String text() {
            return text.toString().trim();
        }

        /** After the server's end. */
        String whole() {
            try {
                reader.join(1000);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return text();
        }
    }
}
