import {
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  fromJsonSchema,
  type InputRequests,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { letTimePass } from "../support/poll.ts";

/** What several servers of one fixture share: tools and prompts that came up while it ran. */
export interface FixtureState {
  extraTools: number;
  extraPrompts: number;
  /** The newer protocol has no session to notify; its server announces changes here. */
  onChange: (what: "tools" | "prompts") => void;
  onUpdate: (uri: string) => void;
}

export function createFixtureState(): FixtureState {
  return { extraTools: 0, extraPrompts: 0, onChange: () => {}, onUpdate: () => {} };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
const NO_ARGUMENTS = z.object({});

/** All states that any tool gives; what comes back must be one of them. */
const STATES: ReadonlySet<string> = new Set(["given", "sealed", "several", "round-1", "round-2"]);

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const soon = () => letTimePass(50);

/** The names and answers that the official suite asks a server for, each the same in both eras. */
export function createFixture(state: FixtureState): McpServer {
  const server = new McpServer(
    { name: "fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      instructions: "A server with everything that the suite looks for.",
      requestState: {
        verify(given) {
          if (!STATES.has(given)) throw new Error("not a state of mine");
        },
      },
    },
  );
  addContent(server);
  addTold(server);
  addQuestions(server);
  addPrompts(server);
  addResources(server);
  addChanges(server, state);
  return server;
}

function addContent(server: McpServer): void {
  const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
  const tool = (name: string, answer: () => ReturnType<typeof text> | { content: object[] }) =>
    server.registerTool(
      name,
      { description: `Gives ${name}`, inputSchema: NO_ARGUMENTS },
      async () => answer() as never,
    );
  tool("test_simple_text", () => text("This is a simple text response for testing."));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }));
  tool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }));
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool(
    "test_x_mcp_header",
    { description: "Wants a header", inputSchema: z.object({ region }) },
    (args) => text(args.region),
  );
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema: fromJsonSchema(SCHEMA_2020) },
    () => text("fits"),
  );
}

const SCHEMA_2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Tools that say something while they work. */
function addTold(server: McpServer): void {
  const logs = async ({ mcpReq }: ServerContext) => {
    await mcpReq.log("info", "Tool execution started");
    await soon();
    await mcpReq.log("info", "Tool processing data");
    await soon();
    await mcpReq.log("info", "Tool execution completed");
    return text("Tool with logging executed successfully");
  };
  server.registerTool("test_tool_with_logging", { description: "Logs", inputSchema: NO_ARGUMENTS }, (_args, context) =>
    logs(context),
  );
  server.registerTool("test_logging_tool", { description: "Logs too", inputSchema: NO_ARGUMENTS }, (_args, context) =>
    logs(context),
  );
  server.registerTool(
    "test_meta",
    { description: "Says what came with it", inputSchema: NO_ARGUMENTS },
    (_args, { mcpReq }) => text(JSON.stringify(mcpReq._meta ?? {})),
  );
  server.registerTool(
    "test_tool_with_progress",
    { description: "Tells how far it is", inputSchema: NO_ARGUMENTS },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await soon();
      }
      return text(`Progress of ${String(progressToken)} told`);
    },
  );
}

const form = (message: string, name: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [name]: type === "string" ? { type } : { type } },
      required: [name],
    },
  });
const sample = (question: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

/** Tools that ask; on the older protocol the package asks in the middle of the call, on the newer one between two. */
function addQuestions(server: McpServer): void {
  const tool = (
    name: string,
    questions: InputRequests | ((args: Readonly<Record<string, string>>, context: ServerContext) => InputRequests),
    answer: (responses: Readonly<Record<string, unknown>>, args: Readonly<Record<string, string>>) => string,
    more: { readonly args?: readonly string[]; readonly state?: string } = {},
  ) => {
    const inputSchema = z.object(Object.fromEntries((more.args ?? []).map((key) => [key, z.string()])));
    server.registerTool(name, { description: `Asks for ${name}`, inputSchema }, (args, context) => {
      const asked = typeof questions === "function" ? questions(args, context) : questions;
      const { inputResponses = {}, requestState } = context.mcpReq;
      const isAnswered = Object.keys(asked).every((key) => inputResponses[key] !== undefined);
      if (!isAnswered)
        return inputRequired({
          inputRequests: asked,
          ...(more.state === undefined ? {} : { requestState: more.state }),
        });
      if (more.state !== undefined && requestState() !== more.state) throw new Error("the state is not the one I gave");
      return text(answer(inputResponses, args));
    });
  };
  const told = (responses: Readonly<Record<string, unknown>>) => JSON.stringify(responses);
  tool(
    "test_sampling",
    ({ prompt = "" }) => ({ answer: sample(prompt) }),
    ({ answer }) => `LLM response: ${told({ answer })}`,
    {
      args: ["prompt"],
    },
  );
  tool(
    "test_elicitation",
    ({ message = "" }) => ({
      answer: inputRequired.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          required: ["username", "email"],
        },
      }),
    }),
    ({ answer }) => `User response: ${told({ answer })}`,
    { args: ["message"] },
  );
  const completed = ({ answer }: Readonly<Record<string, unknown>>) => `Elicitation completed: ${told({ answer })}`;
  tool("test_elicitation_sep1034_defaults", { answer: DEFAULTS }, completed);
  tool("test_elicitation_sep1330_enums", { answer: ENUMS }, completed);
  tool("test_missing_capability", { answer: sample("Anything") }, () => "sampled");
  tool("test_streaming_elicitation", { answer: form("Go on?", "ok", "boolean") }, () => "went on");

  const name = form("What is your name?", "name");
  const confirm = { confirm: form("Please confirm", "ok", "boolean") };
  tool(
    "test_input_required_result_elicitation",
    { user_name: name },
    ({ user_name }) => `Hello, ${told({ user_name })}!`,
  );
  tool("test_input_required_result_sampling", { capital_question: sample("What is the capital of France?") }, told);
  tool("test_input_required_result_list_roots", { client_roots: inputRequired.listRoots() }, told);
  tool("test_input_required_result_request_state", confirm, () => "state-ok", { state: "given" });
  tool("test_input_required_result_tampered_state", confirm, () => "untouched", { state: "sealed" });
  tool(
    "test_input_required_result_multiple_inputs",
    { user_name: name, greeting: sample("Generate a greeting", 50), client_roots: inputRequired.listRoots() },
    told,
    { state: "several" },
  );
  tool(
    "test_input_required_result_capabilities",
    (_args, { mcpReq }) => {
      const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
      const able = Object(envelope[CLIENT_CAPABILITIES_META_KEY]);
      return {
        ...("elicitation" in able ? { form: name } : {}),
        ...("sampling" in able ? { sampled: sample("Anything") } : {}),
      };
    },
    told,
  );
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: "Asks twice", inputSchema: NO_ARGUMENTS },
    (_args, { mcpReq }) => {
      const { inputResponses = {}, requestState } = mcpReq;
      if (requestState() === "round-2" && inputResponses.step2 !== undefined) return text("Both steps done");
      if (requestState() === "round-1" && inputResponses.step1 !== undefined)
        return inputRequired({
          inputRequests: { step2: form("Step 2: What is your favorite color?", "color") },
          requestState: "round-2",
        });
      return inputRequired({
        inputRequests: { step1: form("Step 1: What is your name?", "name") },
        requestState: "round-1",
      });
    },
  );
}

const DEFAULTS = inputRequired.elicit({
  message: "Check these values",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  },
});

const options = (values: readonly string[], titles: readonly string[]) =>
  values.map((value, at) => ({ const: value, title: titles[at] ?? value }));
const THREE = ["option1", "option2", "option3"];
const VALUES = ["value1", "value2", "value3"];
const ENUMS = inputRequired.elicit({
  message: "Choose",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: THREE },
      titledSingle: { type: "string", oneOf: options(VALUES, ["First Option", "Second Option", "Third Option"]) },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: THREE } },
      titledMulti: {
        type: "array",
        items: { anyOf: options(VALUES, ["First Choice", "Second Choice", "Third Choice"]) },
      },
    },
  },
});

function addPrompts(server: McpServer): void {
  const user = (content: object) => ({ role: "user" as const, content: content as { type: "text"; text: string } });
  server.registerPrompt("test_simple_prompt", { description: "A prompt without arguments" }, () => ({
    messages: [user({ type: "text", text: "This is a simple prompt for testing." })],
  }));
  const argument = (description: string) =>
    completable(z.string().describe(description), (value) => [`${value}-one`, `${value}-two`]);
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with arguments",
      argsSchema: z.object({ arg1: argument("First test argument"), arg2: argument("Second test argument") }),
    },
    ({ arg1, arg2 }) => ({
      messages: [user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt with a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        user({ type: "text", text: "Please process the embedded resource above." }),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with an image" }, () => ({
    messages: [
      user({ type: "image", data: PIXEL, mimeType: "image/png" }),
      user({ type: "text", text: "Please analyze the image above." }),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "A prompt that asks" }, ({ mcpReq }) => {
    const context = mcpReq.inputResponses?.user_context;
    if (context === undefined)
      return inputRequired({ inputRequests: { user_context: form("What context should the prompt use?", "context") } });
    return { messages: [user({ type: "text", text: `Use ${JSON.stringify(context)}` })] };
  });
}

function addResources(server: McpServer): void {
  const resource = (name: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(name, `test://${name}`, { description: `The resource ${name}`, mimeType }, (uri) => ({
      contents: [{ uri: uri.href, mimeType, ...content }],
    }));
  resource("static-text", "text/plain", { text: "This is the content of the static text resource." });
  resource("static-binary", "image/png", { blob: PIXEL });
  resource("watched-resource", "text/plain", { text: "Watched" });
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "A resource with a parameter", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

/** Tools that change what there is. */
function addChanges(server: McpServer, state: FixtureState): void {
  const addTool = (at: number) =>
    server.registerTool(`test_dynamic_${at}`, { description: "Came up", inputSchema: NO_ARGUMENTS }, () =>
      text(`dynamic ${at}`),
    );
  const addPrompt = (at: number) =>
    server.registerPrompt(`test_dynamic_prompt_${at}`, { description: "New" }, () => ({
      messages: [{ role: "user", content: { type: "text", text: `dynamic ${at}` } }],
    }));
  for (let at = 1; at <= state.extraTools; at += 1) addTool(at);
  for (let at = 1; at <= state.extraPrompts; at += 1) addPrompt(at);
  server.registerTool(
    "test_trigger_update",
    { description: "Updates a resource", inputSchema: NO_ARGUMENTS },
    async () => {
      const uri = "test://watched-resource";
      // Only a session has somebody to tell.
      await server.server.sendResourceUpdated({ uri }).catch(() => {});
      state.onUpdate(uri);
      return text("The resource was updated");
    },
  );
  server.registerTool("test_trigger_tool_change", { description: "Adds a tool", inputSchema: NO_ARGUMENTS }, () => {
    state.extraTools += 1;
    addTool(state.extraTools);
    state.onChange("tools");
    return text("The tools have changed");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Adds a prompt", inputSchema: NO_ARGUMENTS }, () => {
    state.extraPrompts += 1;
    addPrompt(state.extraPrompts);
    state.onChange("prompts");
    return text("The prompts have changed");
  });
}
