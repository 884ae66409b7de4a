import type { LocalFault } from "./local-fault.ts";

const MIB = 1024 * 1024;

export function tooLarge(limit: number): LocalFault {
  const size = limit >= MIB ? `${Math.round(limit / MIB)} MB` : `${limit} bytes`;
  return { code: "mcp.result-too-large", text: `The result is larger than ${size} and was not taken.` };
}

export const TOO_DEEP: LocalFault = {
  code: "mcp.invalid-answer",
  text: "The server's answer is nested too deep to be read.",
};
