package example.partita;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Parameters of type {@link Database} for JUnit 5 and 6, with one server for the run.
 *
 * <p>A class that takes its database in a {@code @BeforeAll} method makes tables and items there. After each of its
 * tests, all of them are as before the first one, and the clock is the machine's. In any other class, each test has a
 * database of its own, with the tables of {@code --seed}. Classes may run in parallel, and so may tests with databases of
 * their own.
 *
 * <p>With {@link PartitaTest}, the configuration parameter {@code partita.options} has options of
 * {@code partita serve}, separated by blanks. A field with {@code @RegisterExtension} names them itself; fields with the
 * same options share a server. The variable PARTITA_ENDPOINT names a running server instead, which needs
 * {@code --namespaces key}.
 */
public final class PartitaExtension implements ParameterResolver, BeforeEachCallback, AfterEachCallback {
    private static final Namespace OWN = Namespace.create(PartitaExtension.class);
    private static final String PARALLEL = "junit.jupiter.execution.parallel.enabled";
    private static final String CLEAN = "junit-clean";
    private static final AtomicLong SERVING = new AtomicLong();

    private final List<String> options;

    /** With the options of the configuration parameter. */
    public PartitaExtension() {
        options = null;
    }

    /** With these options of {@code partita serve}, such as "--seed", "src/test/tables". */
    public PartitaExtension(String option, String... more) {
        options = new ArrayList<>(List.of(option));
        options.addAll(List.of(more));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Database.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        boolean inTest = context.getTestMethod().isPresent();
        Owned shared = inTest ? ofClass(context) : null;
        if (shared != null) {
            return shared.database;
        }
        return context.getStore(OWN).getOrComputeIfAbsent(context.getUniqueId(), id -> new Owned(create(context)),
            Owned.class).database;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Owned shared = ofClass(context);
        if (shared == null) {
            return;
        }
        boolean parallel = context.getConfigurationParameter(PARALLEL).map(Boolean::valueOf).orElse(false);
        if (parallel && context.getExecutionMode() == ExecutionMode.CONCURRENT) {
            throw new ExtensionConfigurationException("The tests of " + context.getRequiredTestClass().getName()
                + " share the database of @BeforeAll, and cannot run concurrently: annotate them with"
                + " @Execution(ExecutionMode.SAME_THREAD), or let each test make its tables.");
        }
        shared.keep();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Owned shared = ofClass(context);
        if (shared != null && shared.kept) {
            shared.database.rollback(CLEAN);
            shared.database.resetClock();
        }
    }

    /** The database that the class of a test has taken, or a class around it; null if none has. */
    private static Owned ofClass(ExtensionContext context) {
        for (Optional<ExtensionContext> each = context.getParent(); each.isPresent(); each = each.get().getParent()) {
            Owned found = each.get().getStore(OWN).get(each.get().getUniqueId(), Owned.class);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Database create(ExtensionContext context) {
        String namespace = "junit-" + ProcessHandle.current().pid() + "-" + SERVING.incrementAndGet();
        String running = System.getenv("PARTITA_ENDPOINT");
        if (running != null && !running.isEmpty()) {
            return new Database(URI.create(running), namespace);
        }
        List<String> words = options != null ? options : context.getConfigurationParameter("partita.options")
            .map(text -> text.isBlank() ? List.<String>of() : List.of(text.trim().split("\\s+"))).orElse(List.of());
        return context.getRoot().getStore(OWN).getOrComputeIfAbsent(words, key -> new Running(words), Running.class)
            .server.database(namespace);
    }

    // JUnit before 5.13 closes a CloseableResource only, and later ones any AutoCloseable.
    @SuppressWarnings("deprecation")
    private abstract static class Closed implements AutoCloseable, ExtensionContext.Store.CloseableResource {
        @Override
        public abstract void close();
    }

    private static final class Running extends Closed {
        private final Partita server;

        Running(List<String> options) {
            server = new Partita(options.toArray(new String[0]));
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** The database of a test or of a class, deleted at its end. */
    private static final class Owned extends Closed {
        private final Database database;
        private boolean kept;

        Owned(Database database) {
            this.database = database;
        }

        void keep() {
            if (!kept) {
                database.createSnapshot(CLEAN);
                kept = true;
            }
        }

        @Override
        public void close() {
            database.delete();
        }
    }
}
