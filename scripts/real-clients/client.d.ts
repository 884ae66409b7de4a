import type { Machine } from "./machine.mjs";
import type { Call, Turn } from "./model.mjs";

/**
 * Whether the client runs every tool without a question, or asks its person, of whom there is none; whether it trusts every hook; or
 * whether it asks in a terminal, where nobody answers. */
export type Manner = "free" | "careful" | "trusting" | "watched";

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
  /** As people start it. */
  readonly program: string;
  /** The names of models for which it offers tools of their own; the first is the usual one. */
  readonly models: readonly string[];
  /** What it needs beside our entries to start without a question and to find the model at this address. */
  prepare(machine: Machine, address: string, model: string): void;
  /** Its own variables. */
  env(address: string, model: string, manner: Manner): Readonly<Record<string, string>>;
  /** The command that starts it. */
  start(modules: string): readonly string[];
  /** What it is told to answer one prompt without a screen. */
  options(prompt: string, manner: Manner): readonly string[];
  /** The same in a terminal, for one that offers its shell only there. */
  readonly inTerminal?: (prompt: string) => readonly string[];
  /** The call of its shell. */
  shell(command: string): Call;
  /** Has a subagent do this, and waits for it. */
  delegate(prompt: string): AsyncGenerator<Call, void, Turn>;
  /** Its own tool for resources of servers. Null: it has none. */
  readonly resource: ((server: string, uri: string) => Call) | null;
  /** The call of its own search for tools that it has not offered. Null: it offers all of them from the start. */
  readonly search: ((tool: string) => Call) | null;
  /** Its own tools, by what they are for Toolcrib's rules, as a model is offered them. */
  own(workspace: string, model: string): Readonly<Record<string, Call>>;
  /** A person's own file with hooks: another hook in it, and anything else that the client reads there. */
  readonly hooks: HookFile;
  /** Files of a repository with which it tries to turn hooks off. */
  readonly switches: Readonly<Record<string, object | string>>;
  /** Starts a shell and types this into it. Null: it has no tool for that. */
  readonly types: ((text: string) => AsyncGenerator<Call, void, Turn>) | null;
}

export interface HookFile {
  readonly path: string;
  /** Whether people keep other settings in it. */
  readonly isShared: boolean;
  /** The file with a hook more, which is this command; where hooks are no commands, one that has that run in place of the model's. */
  content(command: string, before: object): object | string;
  /** What a hook answers to have another command run in place of the model's; null where a hook is no command. */
  readonly change: ((command: string) => object) | null;
}
