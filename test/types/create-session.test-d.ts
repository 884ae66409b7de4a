import type Anthropic from "@anthropic-ai/sdk";
import type { Content, FunctionDeclaration } from "@google/genai";
import type { ModelMessage } from "ai";
import type OpenAI from "openai";
import { createSession, type Session, type SessionOptions, type ToolResult } from "toolcrib";
import { expectTypeOf, test } from "vitest";

declare const session: Session;

test("what a session gives is what each provider's own SDK takes", () => {
  expectTypeOf(session.payload("anthropic").tools).toExtend<Anthropic.ToolUnion[]>();
  expectTypeOf(session.payload("anthropic").changes).toExtend<Anthropic.Beta.BetaMessageParam[]>();
  expectTypeOf(session.results("anthropic")).toExtend<Anthropic.MessageParam[]>();
  expectTypeOf(session.payload("openai-responses").tools).toExtend<OpenAI.Responses.Tool[]>();
  expectTypeOf(session.results("openai-responses")).toExtend<OpenAI.Responses.ResponseInputItem[]>();
  expectTypeOf(session.payload("openai-chat").tools).toExtend<OpenAI.ChatCompletionTool[]>();
  expectTypeOf(session.results("openai-chat")).toExtend<OpenAI.ChatCompletionMessageParam[]>();
  expectTypeOf(session.payload("gemini").tools[0]?.functionDeclarations[0]).toExtend<FunctionDeclaration | undefined>();
  expectTypeOf(session.results("gemini")).toExtend<Content[]>();
  expectTypeOf(session.results("ai-sdk")).toExtend<ModelMessage[]>();
});

test("each result says what became of which call, and all of them whether the turn goes on", () => {
  expectTypeOf(session.results("gemini").endTurn).toEqualTypeOf<boolean>();
  type Result = ReturnType<Session["execute"]> extends AsyncGenerator<infer One> ? One : never;
  expectTypeOf<Result>().toExtend<ToolResult>();
  expectTypeOf<Result["call"]["id"]>().toEqualTypeOf<string>();
});

test("what options hold is checked while a program is written", () => {
  expectTypeOf({
    mcpServers: { files: { command: "files", env: { PORT: 8080 }, tools: ["*"] } },
    customAgents: [{ name: "reader", tools: null }],
    toolOverrides: { view: { timeout: 5, traits: { readOnly: true } } },
  }).toExtend<SessionOptions>();
  // @ts-expect-error no such key
  ({ mcpServers: { files: { comand: "files" } } }) satisfies SessionOptions;
  // @ts-expect-error an agent has a name
  ({ customAgents: [{ tools: [] }] }) satisfies SessionOptions;
  // @ts-expect-error an extension has a command
  ({ extensions: [{ name: "jira" }] }) satisfies SessionOptions;
  // @ts-expect-error no such key
  ({ models: { "gpt-*": { maxTool: 5 } } }) satisfies SessionOptions;
  // @ts-expect-error no such key
  ({ permissions: { alow: ["view"] } }) satisfies SessionOptions;
  // @ts-expect-error what has a handler is made with defineTool
  ({ tools: [{ name: "lint", description: "", handler: () => "clean" }] }) satisfies SessionOptions;
  // @ts-expect-error no such key
  ({ toolOverrides: { view: { readOnly: true } } }) satisfies SessionOptions;
});

test("each list has one name in types", () => {
  // @ts-expect-error it is called availableTools
  ({ includeTools: ["view"] }) satisfies SessionOptions;
  // @ts-expect-error it is called excludedTools
  ({ excludeTools: ["view"] }) satisfies SessionOptions;
});

test("a provider that does not exist is refused", () => {
  // @ts-expect-error no such dialect
  session.payload("anthropics");
  // @ts-expect-error no such dialect
  session.results("claude");
});

test("what is inside is not reached through a session or its options", () => {
  expectTypeOf<"profile" extends keyof SessionOptions ? true : false>().toEqualTypeOf<false>();
  type Calls = Awaited<ReturnType<Session["calls"]>>;
  expectTypeOf<keyof Calls>().toEqualTypeOf<"prompt" | "failed" | "hookFailures">();
  type Inside = Extract<keyof Session, "request" | "executeCalls" | "agents" | "note" | "stored">;
  expectTypeOf<Inside>().toEqualTypeOf<never>();
  // @ts-expect-error there is one way to open a session: with options.
  void createSession({}, {});
});
