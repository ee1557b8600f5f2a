import com.amazon.dax.client.dynamodbv2.AmazonDaxClientBuilder;
import com.amazonaws.AmazonServiceException;
import com.amazonaws.ClientConfiguration;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.dynamodbv2.model.TransactionCanceledException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes the calls that it reads as JSON lines, with the SDK 1 (http:) or with amazon-dax-client 1 (dax:, daxs:). */
final class Driver {
  private static final String MODEL = "com.amazonaws.services.dynamodbv2.model.";
  /** Setters of their classes that set no member of the API. */
  private static final Set<String> OTHERS = Set.of("SdkClientExecutionTimeout", "SdkRequestTimeout",
      "RequestCredentials", "RequestCredentialsProvider", "RequestMetricCollector", "GeneralProgressListener");

  static AmazonDynamoDB client(String url) {
    String region = System.getenv("AWS_REGION");
    if (url.startsWith("http")) {
      return AmazonDynamoDBClientBuilder.standard()
          .withEndpointConfiguration(new EndpointConfiguration(url, region))
          .withClientConfiguration(new ClientConfiguration().withMaxErrorRetry(0))
          .build();
    }
    return AmazonDaxClientBuilder.standard().withRegion(region).withEndpointConfiguration(url).build();
  }

  /** A bean of the SDK from JSON. It has several setters of a member; the one of the getter's type is meant. */
  static Object filled(Class<?> type, Map<?, ?> members) throws ReflectiveOperationException {
    Object made = type.getConstructor().newInstance();
    for (Map.Entry<?, ?> each : members.entrySet()) {
      String member = (String) each.getKey();
      Method getter = getter(type, member);
      if (getter != null) {
        Method setter = type.getMethod("set" + member, setterType(getter.getReturnType()));
        setter.invoke(made, converted(getter.getGenericReturnType(), each.getValue()));
      }
    }
    return made;
  }

  static Class<?> setterType(Class<?> type) {
    return type == List.class ? Collection.class : type;
  }

  static Method getter(Class<?> type, String member) {
    for (String prefix : List.of("get", "is")) {
      try {
        return type.getMethod(prefix + member);
      } catch (NoSuchMethodException absent) {
        continue;
      }
    }
    return null;
  }

  static Object converted(Type type, Object value) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType of && value instanceof List<?> list) {
      List<Object> made = new ArrayList<>();
      for (Object each : list) {
        made.add(converted(of.getActualTypeArguments()[0], each));
      }
      return made;
    }
    if (type instanceof ParameterizedType of && value instanceof Map<?, ?> map) {
      Map<Object, Object> made = new LinkedHashMap<>();
      for (Map.Entry<?, ?> each : map.entrySet()) {
        made.put(each.getKey(), converted(of.getActualTypeArguments()[1], each.getValue()));
      }
      return made;
    }
    if (type == ByteBuffer.class) {
      return ByteBuffer.wrap(Base64.getDecoder().decode((String) value));
    }
    return value instanceof Map<?, ?> map ? filled((Class<?>) type, map) : value;
  }

  /** The contrary: null for what is absent. */
  static Object plain(Object value) throws ReflectiveOperationException {
    if (value instanceof List<?> list) {
      List<Object> made = new ArrayList<>();
      for (Object each : list) {
        made.add(plain(each));
      }
      return made;
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> made = new LinkedHashMap<>();
      for (Map.Entry<?, ?> each : map.entrySet()) {
        made.put(each.getKey(), plain(each.getValue()));
      }
      return made;
    }
    if (value instanceof ByteBuffer bytes) {
      byte[] data = new byte[bytes.remaining()];
      bytes.duplicate().get(data);
      return Base64.getEncoder().encodeToString(data);
    }
    if (value == null || !value.getClass().getName().startsWith(MODEL)) {
      return value;
    }
    Map<String, Object> made = new LinkedHashMap<>();
    for (Method setter : value.getClass().getMethods()) {
      String member = setter.getName().replaceFirst("^set", "");
      boolean sets = setter.getName().startsWith("set") && setter.getParameterCount() == 1;
      Method getter = sets ? getter(value.getClass(), member) : null;
      if (getter != null && getter.getDeclaringClass() == value.getClass() && !OTHERS.contains(member)) {
        Object found = plain(getter.invoke(value));
        if (found != null) {
          made.put(member, found);
        }
      }
    }
    return made;
  }

  static Object call(AmazonDynamoDB client, String operation, Map<?, ?> input) throws Throwable {
    Class<?> type = Class.forName(MODEL + operation + "Request");
    Object request = filled(type, input);
    String method = operation.substring(0, 1).toLowerCase() + operation.substring(1);
    try {
      return plain(AmazonDynamoDB.class.getMethod(method, type).invoke(client, request));
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  static Map<String, Object> failure(Throwable error) throws ReflectiveOperationException {
    Map<String, Object> made = new LinkedHashMap<>();
    made.put("message", String.valueOf(error.getMessage()));
    if (error instanceof AmazonServiceException said && said.getRequestId() != null) {
      made.put("code", said.getErrorCode());
      made.put("message", said.getErrorMessage());
    } else {
      made.put("client", error.getClass().getName());
    }
    if (error instanceof TransactionCanceledException cancelled) {
      made.put("reasons", plain(cancelled.getCancellationReasons()));
    }
    return made;
  }

  /** Sets what a call that goes on where this one ended is given; false if there is nothing left. */
  static boolean next(Map<?, ?> step, Map<?, ?> output, Map<Object, Object> input) {
    boolean pages = "LastEvaluatedKey".equals(step.get("again"));
    for (String member : pages ? List.of("LastEvaluatedKey") : List.of("UnprocessedKeys", "UnprocessedItems")) {
      if (step.get("again") != null && output.get(member) instanceof Map<?, ?> left && !left.isEmpty()) {
        input.put(pages ? "ExclusiveStartKey" : "RequestItems", left);
        return true;
      }
    }
    return false;
  }

  static Map<String, Object> made(AmazonDynamoDB client, Map<?, ?> step) throws ReflectiveOperationException {
    List<Object> outputs = new ArrayList<>();
    Map<String, Object> result = new LinkedHashMap<>(Map.of("name", step.get("name"), "outputs", outputs));
    Map<Object, Object> input = new LinkedHashMap<>((Map<?, ?>) step.get("input"));
    try {
      for (int times = 0; times < 1000; ++times) {
        Map<?, ?> output = (Map<?, ?>) call(client, (String) step.get("call"), input);
        outputs.add(output);
        if (!next(step, output, input)) {
          break;
        }
      }
    } catch (Throwable error) {
      result.put("error", failure(error));
    }
    return result;
  }

  public static void main(String[] arguments) throws Exception {
    AmazonDynamoDB client = client(arguments[0]);
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(json.writeValueAsString(made(client, json.readValue(line, Map.class))));
    }
    System.exit(0);
  }
}
