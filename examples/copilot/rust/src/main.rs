//! A tool whose schema is the struct of its arguments.

use github_copilot_sdk::tool::{JsonSchema, define_tool};
use github_copilot_sdk::{Client, ClientOptions, Error, SessionConfig, ToolResult};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// City name
    city: String,
    /// celsius or fahrenheit
    units: Option<String>,
}

fn look(at: Place) -> String {
    let degrees = if at.units.as_deref() == Some("fahrenheit") {
        46
    } else {
        8
    };
    json!({ "city": at.city, "sky": "rain", "degrees": degrees }).to_string()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let model = std::env::var("MODEL").unwrap_or("anthropic/claude-sonnet-4-5".into());
    let get_weather = define_tool(
        "get_weather",
        "The weather of a city today",
        |_, at: Place| async { Ok(ToolResult::Text(look(at))) },
    );
    let client = Client::start(ClientOptions::default()).await?;
    let config = SessionConfig::default()
        .with_model(model)
        .approve_all_permissions()
        .with_tools([get_weather]);
    let session = client.create_session(config).await?;

    let mut events = session.subscribe();
    let told = tokio::spawn(async move {
        while let Ok(event) = events.recv().await {
            if event.event_type == "tool.execution_complete" {
                let content = event.data["result"]["content"].as_str();
                println!("The tool said: {}", content.unwrap_or_default());
            }
        }
    });
    if let Some(answer) = session
        .send_and_wait("Do I need a coat in Lyon today?")
        .await?
    {
        println!("{}", answer.data["content"].as_str().unwrap_or_default());
    }
    told.abort();
    client.stop().await.ok();
    Ok(())
}
