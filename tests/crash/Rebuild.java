// Rebuild ENDPOINT STREAM_ARN: follows a stream with the Kinesis Client Library and keeps the table that its records make.
// Each line on standard input is answered with the counts of records, of those that do not go on from what was there, and
// of items; "table" with the items behind them, and a full stop.

import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBStreamsClientBuilder;
import com.amazonaws.services.dynamodbv2.model.AttributeValue;
import com.amazonaws.services.dynamodbv2.model.BillingMode;
import com.amazonaws.services.dynamodbv2.streamsadapter.AmazonDynamoDBStreamsAdapterClient;
import com.amazonaws.services.dynamodbv2.streamsadapter.StreamsWorkerFactory;
import com.amazonaws.services.dynamodbv2.streamsadapter.model.RecordAdapter;
import com.amazonaws.services.kinesis.clientlibrary.interfaces.v2.IRecordProcessor;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.InitialPositionInStream;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.KinesisClientLibConfiguration;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.ShutdownReason;
import com.amazonaws.services.kinesis.clientlibrary.types.InitializationInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ProcessRecordsInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ShutdownInput;
import com.amazonaws.services.kinesis.metrics.impl.NullMetricsFactory;
import com.amazonaws.services.kinesis.model.Record;
import java.util.Map;
import java.util.Objects;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public class Rebuild {
  static final ConcurrentMap<String, String> items = new ConcurrentHashMap<>();
  static final AtomicLong records = new AtomicLong();
  static final AtomicLong repeated = new AtomicLong();

  static class Processor implements IRecordProcessor {
    @Override
    public void initialize(InitializationInput input) {}

    @Override
    public void processRecords(ProcessRecordsInput input) {
      for (Record record : input.getRecords()) {
        var change = ((RecordAdapter) record).getInternalObject().getDynamodb();
        String key = change.getKeys().get("pk").getS();
        if (!Objects.equals(items.get(key), stamp(change.getOldImage()))) repeated.incrementAndGet();
        String now = stamp(change.getNewImage());
        if (now == null) {
          items.remove(key);
        } else {
          items.put(key, now);
        }
        records.incrementAndGet();
      }
      try {
        input.getCheckpointer().checkpoint();
      } catch (Exception lost) {
        System.err.println(lost);
      }
    }

    @Override
    public void shutdown(ShutdownInput input) {
      if (input.getShutdownReason() != ShutdownReason.TERMINATE) return;
      try {
        input.getCheckpointer().checkpoint();
      } catch (Exception lost) {
        System.err.println(lost);
      }
    }

    static String stamp(Map<String, AttributeValue> image) {
      return image == null ? null : image.get("stamp").getS();
    }
  }

  public static void main(String[] arguments) {
    var credentials = new AWSStaticCredentialsProvider(new BasicAWSCredentials("local", "local"));
    var endpoint = new EndpointConfiguration(arguments[0], "us-east-1");
    var leases = AmazonDynamoDBClientBuilder.standard();
    var streams = AmazonDynamoDBStreamsClientBuilder.standard();
    leases.withCredentials(credentials).withEndpointConfiguration(endpoint);
    streams.withCredentials(credentials).withEndpointConfiguration(endpoint);
    var configuration = new KinesisClientLibConfiguration("rebuild", arguments[1], credentials, "worker");
    configuration
        .withInitialPositionInStream(InitialPositionInStream.TRIM_HORIZON)
        .withIdleTimeBetweenReadsInMillis(20)
        .withBillingMode(BillingMode.PAY_PER_REQUEST);
    var worker =
        StreamsWorkerFactory.createDynamoDbStreamsWorker(
            Processor::new,
            configuration,
            new AmazonDynamoDBStreamsAdapterClient(streams.build()),
            leases.build(),
            new NullMetricsFactory(),
            Executors.newCachedThreadPool());
    new Thread(worker).start();
    var lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String line = lines.nextLine();
      System.out.println(records + " " + repeated + " " + items.size());
      if (line.equals("table")) {
        new TreeMap<>(items).forEach((key, stamp) -> System.out.println(key + "\t" + stamp));
        System.out.println(".");
      }
    }
    System.exit(0);
  }
}
