import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

/** The cases through the SDK for Java: one JSON line per case. {@code java Throttled ENDPOINT} */
public final class Throttled {
  /** Makes the call of a case to its table, and returns what became of each part of it, if it has parts. */
  private interface Call {
    List<List<String>> of(DynamoDbClient client, String table);
  }

  private static final Map<String, Call> CASES = new LinkedHashMap<>();

  static {
    CASES.put("table-write", put("a"));
    CASES.put("table-read", Throttled::get);
    CASES.put("index-write", put("a", "g"));
    CASES.put("index-read", query("g", "g", "by-g"));
    CASES.put("hot-write", put("hot"));
    CASES.put("hot-read", query("k", "hot", null));
    CASES.put("hot-write-on-demand", put("hot"));
    CASES.put("hot-index-write", put("cold", "hot"));
    CASES.put("maximum-write", put("a"));
    CASES.put("maximum-read", Throttled::get);
    CASES.put("batch-write", batchWrite(List::of));
    CASES.put("batch-read", Throttled::batchRead);
    CASES.put("batch-maximum", batchWrite(List::of));
    CASES.put("batch-part", batchWrite(Throttled::both));
    CASES.put("transaction-write", writeBoth("a"));
    CASES.put("transaction-read", Throttled::readBoth);
    CASES.put("transaction-hot", writeBoth("hot"));
    CASES.put("transaction-maximum", writeBoth("a"));
    CASES.put("statement-write", statement(Throttled::change));
    CASES.put("statement-read", statement(table -> "SELECT v FROM \"" + table + "\" WHERE k = 'a'"));
    CASES.put("statement-maximum", statement(Throttled::change));
    CASES.put("statement-batch", Throttled::statementBatch);
    CASES.put("statement-transaction", Throttled::statementTransaction);
    CASES.put("patient-table", put("a"));
    CASES.put("patient-hot", put("hot"));
    CASES.put("patient-maximum", put("a"));
  }

  private static AttributeValue text(String value) {
    return AttributeValue.fromS(value);
  }

  private static Map<String, AttributeValue> key(String k, int n, String... more) {
    Map<String, AttributeValue> item = new LinkedHashMap<>();
    item.put("k", text(k));
    item.put("n", AttributeValue.fromN(Integer.toString(n)));
    for (String g : more) item.put("g", text(g));
    return item;
  }

  private static List<String> both(String table) {
    return List.of(table + "-open", table);
  }

  private static Call put(String k, String... g) {
    return (client, table) -> {
      client.putItem(r -> r.tableName(table).item(key(k, 9, g)));
      return List.of();
    };
  }

  private static List<List<String>> get(DynamoDbClient client, String table) {
    client.getItem(r -> r.tableName(table).key(key("a", 1)));
    return List.of();
  }

  private static Call query(String name, String value, String index) {
    return (client, table) -> {
      client.query(r -> r.tableName(table).indexName(index).keyConditionExpression(name + " = :v")
          .expressionAttributeValues(Map.of(":v", text(value))));
      return List.of();
    };
  }

  private static Call batchWrite(Function<String, List<String>> tablesOf) {
    WriteRequest request = WriteRequest.builder().putRequest(p -> p.item(key("a", 9))).build();
    return (client, table) -> {
      Map<String, List<WriteRequest>> requests =
          tablesOf.apply(table).stream().collect(Collectors.toMap(name -> name, name -> List.of(request)));
      return client.batchWriteItem(r -> r.requestItems(requests)).unprocessedItems().keySet().stream()
          .map(name -> List.of("Unprocessed", name)).toList();
    };
  }

  private static List<List<String>> batchRead(DynamoDbClient client, String table) {
    client.batchGetItem(r -> r.requestItems(
        Map.of(table, KeysAndAttributes.builder().keys(List.of(key("a", 1))).build())));
    return List.of();
  }

  private static Call writeBoth(String k) {
    return (client, table) -> {
      client.transactWriteItems(r -> r.transactItems(
          TransactWriteItem.builder().put(p -> p.tableName(table + "-open").item(key("a", 9))).build(),
          TransactWriteItem.builder().put(p -> p.tableName(table).item(key(k, 9))).build()));
      return List.of();
    };
  }

  private static List<List<String>> readBoth(DynamoDbClient client, String table) {
    client.transactGetItems(r -> r.transactItems(both(table).stream().map(
        name -> TransactGetItem.builder().get(g -> g.tableName(name).key(key("a", 1))).build()).toList()));
    return List.of();
  }

  private static String change(String table) {
    return "UPDATE \"" + table + "\" SET v = 1 WHERE k = 'a' AND n = 1";
  }

  private static Call statement(Function<String, String> of) {
    return (client, table) -> {
      client.executeStatement(r -> r.statement(of.apply(table)));
      return List.of();
    };
  }

  private static List<List<String>> statementBatch(DynamoDbClient client, String table) {
    return client.batchExecuteStatement(r -> r.statements(both(table).stream().map(
        name -> BatchStatementRequest.builder().statement(change(name)).build()).toList())).responses().stream()
        .map(each -> each.error() == null ? part("None", null)
                                          : part(each.error().codeAsString(), each.error().message())).toList();
  }

  private static List<List<String>> statementTransaction(DynamoDbClient client, String table) {
    client.executeTransaction(r -> r.transactStatements(both(table).stream().map(
        name -> ParameterizedStatement.builder().statement(change(name)).build()).toList()));
    return List.of();
  }

  private static List<String> part(String code, String message) {
    return Stream.of(code, message).collect(Collectors.toCollection(ArrayList::new)); // it may hold null
  }

  private static List<List<String>> reasonsOf(DynamoDbException error) {
    List<ThrottlingReason> reasons = List.of();
    if (error instanceof ProvisionedThroughputExceededException exceeded) reasons = exceeded.throttlingReasons();
    if (error instanceof ThrottlingException throttled) reasons = throttled.throttlingReasons();
    return reasons.stream().map(each -> part(each.reason(), each.resource())).toList();
  }

  private static List<List<String>> partsOf(DynamoDbException error) {
    if (!(error instanceof TransactionCanceledException cancelled)) return List.of();
    return cancelled.cancellationReasons().stream().map(each -> part(each.code(), each.message())).toList();
  }

  private static String run(String endpoint, String name) {
    AtomicInteger attempts = new AtomicInteger();
    ExecutionInterceptor counting = new ExecutionInterceptor() {
      @Override
      public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        attempts.incrementAndGet();
      }
    };
    DynamoDbException refused = null;
    List<List<String>> parts;
    long began;
    try (DynamoDbClient client = DynamoDbClient.builder().endpointOverride(URI.create(endpoint))
        .region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
        .overrideConfiguration(o -> o.addExecutionInterceptor(counting)).build()) {
      began = System.nanoTime();
      try {
        parts = CASES.get(name).of(client, name);
      } catch (DynamoDbException error) {
        refused = error;
        parts = partsOf(error);
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return "{\"case\": " + json(name)
        + ", \"error\": " + json(refused == null ? null : refused.getClass().getSimpleName())
        + ", \"code\": " + json(refused == null ? null : refused.awsErrorDetails().errorCode())
        + ", \"message\": " + json(refused == null ? null : refused.awsErrorDetails().errorMessage())
        + ", \"reasons\": " + json(refused == null ? List.of() : reasonsOf(refused))
        + ", \"parts\": " + json(parts) + ", \"attempts\": " + attempts + ", \"seconds\": " + seconds + "}";
  }

  private static String json(String value) {
    return value == null ? "null" : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String json(List<List<String>> rows) {
    return rows.stream().map(row -> row.stream().map(Throttled::json).collect(Collectors.joining(", ", "[", "]")))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  public static void main(String[] arguments) throws Exception {
    var threads = Executors.newFixedThreadPool(CASES.size());
    List<Future<String>> lines = new ArrayList<>();
    for (String name : CASES.keySet()) lines.add(threads.submit(() -> run(arguments[0], name)));
    for (Future<String> line : lines) System.out.println(line.get());
    threads.shutdown();
  }
}
