// A tool whose schema is the struct of its arguments.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	copilot "github.com/github/copilot-sdk/go"
)

type place struct {
	City  string `json:"city" jsonschema:"City name"`
	Units string `json:"units,omitempty" jsonschema:"celsius or fahrenheit"`
}

type weather struct {
	City    string `json:"city"`
	Sky     string `json:"sky"`
	Degrees int    `json:"degrees"`
}

func look(at place, _ copilot.ToolInvocation) (weather, error) {
	if at.Units == "fahrenheit" {
		return weather{at.City, "rain", 46}, nil
	}
	return weather{at.City, "rain", 8}, nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	model := os.Getenv("MODEL")
	if model == "" {
		model = "anthropic/claude-sonnet-4-5"
	}
	client := copilot.NewClient(nil)
	defer client.Stop()
	session, err := client.CreateSession(ctx, &copilot.SessionConfig{
		Model:               model,
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		Tools:               []copilot.Tool{copilot.DefineTool("get_weather", "The weather of a city today", look)},
	})
	if err != nil {
		return err
	}
	session.On(func(event copilot.SessionEvent) {
		if done, ok := event.Data.(*copilot.ToolExecutionCompleteData); ok && done.Result != nil {
			fmt.Println("The tool said:", done.Result.Content)
		}
	})
	answer, err := session.SendAndWait(ctx, copilot.MessageOptions{Prompt: "Do I need a coat in Lyon today?"})
	if err != nil {
		return err
	}
	if message, ok := answer.Data.(*copilot.AssistantMessageData); ok {
		fmt.Println(message.Content)
	}
	return nil
}
