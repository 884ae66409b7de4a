import type { ObjectSchema } from "../tools/shape-schema.ts";

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ObjectSchema;
  strict?: boolean;
  defer_loading?: boolean;
  cache_control?: { type: "ephemeral" };
}
