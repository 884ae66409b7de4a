import com.github.copilot.sdk.CopilotClient;
import com.github.copilot.sdk.generated.ToolExecutionCompleteEvent;
import com.github.copilot.sdk.json.CopilotClientOptions;
import com.github.copilot.sdk.json.MessageOptions;
import com.github.copilot.sdk.json.PermissionHandler;
import com.github.copilot.sdk.json.SessionConfig;
import com.github.copilot.sdk.json.ToolDefinition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A tool with a schema that is written down. */
public class Weather {
  record Place(String city, String units) {}

  record Sky(String city, String sky, int degrees) {}

  static final Map<String, Object> PARAMETERS =
      Map.of(
          "type", "object",
          "properties",
              Map.of(
                  "city", Map.of("type", "string", "description", "City name"),
                  "units", Map.of("type", "string", "enum", List.of("celsius", "fahrenheit"))),
          "required", List.of("city"));

  static Sky look(Place at) {
    return new Sky(at.city(), "rain", "fahrenheit".equals(at.units()) ? 46 : 8);
  }

  public static void main(String[] args) throws Exception {
    var getWeather =
        ToolDefinition.create(
            "get_weather",
            "The weather of a city today",
            PARAMETERS,
            call -> CompletableFuture.completedFuture(look(call.getArgumentsAs(Place.class))));
    // The Java client does not read this variable by itself.
    var options = new CopilotClientOptions().setCliPath(System.getenv("COPILOT_CLI_PATH"));
    var config =
        new SessionConfig()
            .setModel(System.getenv().getOrDefault("MODEL", "anthropic/claude-sonnet-4-5"))
            .setOnPermissionRequest(PermissionHandler.APPROVE_ALL)
            .setTools(List.of(getWeather));
    try (var client = new CopilotClient(options);
        var session = client.createSession(config).get()) {
      session.on(
          ToolExecutionCompleteEvent.class,
          event -> System.out.println("The tool said: " + event.getData().result().content()));
      var prompt = new MessageOptions().setPrompt("Do I need a coat in Lyon today?");
      System.out.println(session.sendAndWait(prompt).get().getData().content());
    }
  }
}
