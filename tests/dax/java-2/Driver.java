import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.SdkPojo;
import software.amazon.awssdk.core.protocol.MarshallingType;
import software.amazon.awssdk.core.retry.RetryPolicy;
import software.amazon.awssdk.core.traits.ListTrait;
import software.amazon.awssdk.core.traits.MapTrait;
import software.amazon.awssdk.core.util.SdkAutoConstructList;
import software.amazon.awssdk.core.util.SdkAutoConstructMap;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.utils.builder.Buildable;
import software.amazon.dax.ClusterDaxClient;
import software.amazon.dax.Configuration;

/** Makes the calls that it reads as JSON lines, with the SDK 2 (http:) or with amazon-dax-client 2 (dax:, daxs:). */
final class Driver {
  private static final String MODEL = "software.amazon.awssdk.services.dynamodb.model.";

  static DynamoDbClient client(String url) throws IOException {
    if (!url.startsWith("http")) {
      return ClusterDaxClient.builder().overrideConfiguration(Configuration.builder().url(url).build()).build();
    }
    return DynamoDbClient.builder()
        .endpointOverride(URI.create(url))
        .overrideConfiguration(settings -> settings.retryPolicy(RetryPolicy.none()))
        .build();
  }

  /** What the SDK calls a structure, from JSON. Members that it does not know are left out. */
  static Object filled(SdkPojo builder, Map<?, ?> members) {
    for (SdkField<?> field : builder.sdkFields()) {
      Object value = members.get(field.locationName());
      if (value != null) {
        field.set(builder, converted(field, value));
      }
    }
    return ((Buildable) builder).build();
  }

  static Object converted(SdkField<?> field, Object value) {
    MarshallingType<?> type = field.marshallingType();
    if (type.equals(MarshallingType.SDK_POJO)) {
      return filled(field.constructor().get(), (Map<?, ?>) value);
    }
    if (type.equals(MarshallingType.LIST)) {
      SdkField<?> of = field.getTrait(ListTrait.class).memberFieldInfo();
      List<Object> made = new ArrayList<>();
      ((List<?>) value).forEach(each -> made.add(converted(of, each)));
      return made;
    }
    if (type.equals(MarshallingType.MAP)) {
      SdkField<?> of = field.getTrait(MapTrait.class).valueFieldInfo();
      Map<String, Object> made = new LinkedHashMap<>();
      ((Map<?, ?>) value).forEach((name, each) -> made.put((String) name, converted(of, each)));
      return made;
    }
    if (type.equals(MarshallingType.SDK_BYTES)) {
      return SdkBytes.fromByteArray(Base64.getDecoder().decode((String) value));
    }
    return value;
  }

  /** The contrary: null for what is absent. */
  static Object plain(Object value) {
    if (value instanceof SdkAutoConstructList || value instanceof SdkAutoConstructMap) {
      return null;
    }
    if (value instanceof SdkPojo pojo) {
      Map<String, Object> made = new LinkedHashMap<>();
      for (SdkField<?> field : pojo.sdkFields()) {
        Object member = plain(field.getValueOrDefault(pojo));
        if (member != null) {
          made.put(field.locationName(), member);
        }
      }
      return made;
    }
    if (value instanceof List<?> list) {
      return new ArrayList<>(list.stream().map(Driver::plain).toList());
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> made = new LinkedHashMap<>();
      map.forEach((name, each) -> made.put((String) name, plain(each)));
      return made;
    }
    return value instanceof SdkBytes bytes ? Base64.getEncoder().encodeToString(bytes.asByteArray()) : value;
  }

  static Object call(DynamoDbClient client, String operation, Map<?, ?> input) throws Throwable {
    Class<?> type = Class.forName(MODEL + operation + "Request");
    Object request = filled((SdkPojo) type.getMethod("builder").invoke(null), input);
    String method = operation.substring(0, 1).toLowerCase() + operation.substring(1);
    try {
      return plain(DynamoDbClient.class.getMethod(method, type).invoke(client, request));
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  static Map<String, Object> failure(Throwable error) {
    Map<String, Object> made = new LinkedHashMap<>();
    made.put("message", String.valueOf(error.getMessage()));
    if (error instanceof AwsServiceException said && said.awsErrorDetails() != null && said.requestId() != null) {
      made.put("code", said.awsErrorDetails().errorCode());
      made.put("message", said.awsErrorDetails().errorMessage());
    } else {
      made.put("client", error.getClass().getName());
    }
    if (error instanceof TransactionCanceledException cancelled) {
      made.put("reasons", plain(cancelled.cancellationReasons()));
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

  static Map<String, Object> made(DynamoDbClient client, Map<?, ?> step) {
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
    DynamoDbClient client = client(arguments[0]);
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(json.writeValueAsString(made(client, json.readValue(line, Map.class))));
    }
    System.exit(0);
  }
}
