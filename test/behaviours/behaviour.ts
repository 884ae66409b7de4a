/** Values that all three programs can read. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainRecord = { readonly [key: string]: Plain };

/** One reply of the model, in the order in which it is asked. */
export type Reply =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly arguments: PlainRecord }[] }
  | { readonly status: number; readonly message: string };

/** A tool of the app. */
export interface AppTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: PlainRecord;
  readonly skipPermission?: boolean;
  readonly overridesBuiltInTool?: boolean;
  /** What its handler returns: a text, a value or a whole result; nothing if absent. */
  readonly returns?: Plain;
  /** The text of the error that it throws instead. */
  readonly throws?: string;
}

/** One thing that the app does, after the one before it has ended. */
type Act =
  | { readonly send: string; readonly attachments?: readonly PlainRecord[] }
  | { readonly setModel: string }
  | { readonly setMode: "interactive" | "plan" | "autopilot" }
  /** The app goes and takes its session up again, with the same options. */
  | { readonly resume: true };

/** What an app is like, in words that every way translates for itself. */
export interface App {
  /** The name that the model has at its provider; `claude-sonnet-4.5` if absent. */
  readonly model?: string;
  readonly tools?: readonly AppTool[];
  /** Options with the same name and meaning in the library and the SDK. */
  readonly options?: PlainRecord;
  /** How the app answers questions about permission; null: it has no handler. `approve` if absent. */
  readonly permission?: "approve" | "reject" | "allow-by-decision" | "deny-by-decision" | null;
  /** Files of the working directory; `base64:` begins one that is no text. */
  readonly files?: Readonly<Record<string, string>>;
  readonly acts: readonly Act[];
}

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: PlainRecord }[];
  /** Without the system text, as the provider gets them. */
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly [key: string]: unknown }[];
}

export interface SeenEvent {
  readonly type: string;
  readonly agentId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What could be seen from outside: by the app, and by its model. */
export interface Observed {
  /** What each `send` came to: its text, or `{ error }`. */
  readonly replies: readonly (string | null | { readonly error: string })[];
  readonly events: readonly SeenEvent[];
  /** The events as the session gives them afterwards. */
  readonly history: readonly SeenEvent[];
  /** Arguments that the app's tools were called with. */
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Questions about permission that the app was asked. */
  readonly questions: readonly Readonly<Record<string, unknown>>[];
  readonly requests: readonly ModelRequest[];
}

/** One row of the table: the same app, written for the library and both SDKs, has the same outcome. */
export interface Behaviour {
  readonly name: string;
  readonly app: App;
  readonly replies: readonly Reply[];
  /** Replies to requests of another model, which an agent or a change of model brings. */
  readonly otherReplies?: Readonly<Record<string, readonly Reply[]>>;
  /** Asserts what has to be true whichever way the app took. */
  check(observed: Observed, cwd: string): void;
}

/** A way to write an app. */
export interface Way {
  readonly name: string;
  run(app: App, place: Place): Promise<Omit<Observed, "requests">>;
  close(): Promise<void>;
}

/** Where an app runs and whom it asks. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** The base address of its model. */
  readonly modelUrl: string;
}
