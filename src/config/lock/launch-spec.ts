import type { ServerConfig } from "../config.ts";
import type { LaunchSpec } from "./lock.ts";

const SECRET_ARGUMENT = /^(--?[\w-]*(?:token|key|secret|passw|auth|credential)[\w-]*)(?:=.*)?$/i;

export function toLaunchSpec({ transport }: ServerConfig): LaunchSpec {
  if (transport.type !== "stdio") {
    return {
      type: transport.type,
      url: transport.url.replace(/[?#].*$/, "").replace(/\/\/[^/@]*@/, "//"),
      headers: [...transport.headers.keys()].sort(),
    };
  }
  const { command, args, env } = transport;
  return { type: "stdio", command, args: maskArguments(args), env: [...env.keys()].sort() };
}

/** Arguments for people: what stands behind an option for a secret is masked. */
export function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((argument, at) => {
    const named = SECRET_ARGUMENT.exec(argument);
    if (named !== null) return argument.includes("=") ? `${named[1]}=***` : argument;
    return SECRET_ARGUMENT.test(args[at - 1] ?? "") && !(args[at - 1] ?? "").includes("=") ? "***" : argument;
  });
}
