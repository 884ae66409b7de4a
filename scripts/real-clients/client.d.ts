import type { Machine } from "./machine.mjs";
import type { Call, Turn } from "./model.mjs";

/** Whether the client runs every tool without a question, or asks its person, of whom there is none. */
export type Manner = "free" | "careful";

/** One client: how it is installed, configured and started, and how its model calls tools. */
export interface Client {
  /** As `toolcrib guard install` names it. */
  readonly name: string;
  readonly title: string;
  /** As npm names it. */
  readonly packageName: string;
  readonly version: string;
  /** As `toolcrib up --write` names it. */
  readonly writes: string;
  /** What it needs beside our entries to start without a question and to find the model. */
  prepare(machine: Machine, model: string): void;
  /** Its own variables. */
  env(machine: Machine, model: string): Readonly<Record<string, string>>;
  /** The command that answers one prompt without a screen. */
  command(modules: string, prompt: string, manner: Manner): readonly string[];
  /** The call of its shell. */
  shell(command: string): Call;
  /** Has a subagent do this, and waits for it. */
  delegate(prompt: string): AsyncGenerator<Call, void, Turn>;
  /** Its own tool for resources of servers. Null: it has none. */
  readonly resource: ((server: string, uri: string) => Call) | null;
  /** The call of its own search for tools that it has not offered. Null: it offers all of them from the start. */
  readonly search: ((tool: string) => Call) | null;
  /** Its own tools, by what they are for Toolcrib's rules: for the recorded events. */
  own(workspace: string): Readonly<Record<string, Call>>;
}
