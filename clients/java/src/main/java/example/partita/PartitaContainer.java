package example.partita;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A container of Partita for Testcontainers: a server in memory, with namespaces by access key.
 *
 * <pre>{@code
 * try (PartitaContainer partita = new PartitaContainer()) {
 *     partita.start();
 *     Database database = partita.database("any");
 * }
 * }</pre>
 */
public class PartitaContainer extends GenericContainer<PartitaContainer> {
    private static final DockerImageName IMAGE = DockerImageName.parse("partita");
    private static final String TAG = "0.1.0";
    private static final int PORT = 8000;

    public PartitaContainer() {
        this(IMAGE.withTag(TAG));
    }

    /** Another image; one with another name is declared a substitute of {@code partita}. */
    public PartitaContainer(DockerImageName image) {
        super(image);
        image.assertCompatibleWith(IMAGE);
        withExposedPorts(PORT);
        withOptions();
        // The image has no shell, with which Testcontainers would look at the port from within.
        waitingFor(Wait.forHttp("/").forPort(PORT).withStartupTimeout(Duration.ofMinutes(1)));
    }

    /** Options of {@code partita serve}. Files that they name are in the container: see {@code withCopyToContainer}. */
    public PartitaContainer withOptions(String... options) {
        // Only the host's loopback interface and other containers reach the port.
        List<String> words = new ArrayList<>(List.of("serve", "--listen", "0.0.0.0:" + PORT, "--insecure",
            "--in-memory", "--namespaces", "key"));
        words.addAll(List.of(options));
        return withCommand(words.toArray(new String[0]));
    }

    /** The server's URL, for {@code endpointOverride} of an SDK's client. The container has started. */
    public URI endpoint() {
        return URI.create("http://" + getHost() + ":" + getMappedPort(PORT));
    }

    /** The database of a namespace: the server makes it when it is first used. */
    public Database database(String namespace) {
        return new Database(endpoint(), namespace);
    }
}
