import type { Config } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

/** Throws where managed policy wants a token of every client. */
export function checkConnect({ policy }: Pick<Config, "policy">): void {
  const { value, origin } = policy.connect;
  if (value !== "deny") return;
  const text = `managed policy forbids clients without a token (${formatOrigin(origin)}); use the address and token of "toolcrib up"`;
  throw new ToolcribError("up.refused", text);
}
