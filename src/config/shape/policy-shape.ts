import { policyFields, toPolicy } from "../../core/scene/scene-shapes.ts";
import { choice, record, sourced, to } from "../../core/shape/shape.ts";

export const policy = to(
  record(
    {
      ...policyFields,
      connect: sourced(choice(["allow", "deny"], { about: "whether `toolcrib connect` may attach", default: "allow" })),
    },
    { about: "what an organisation decides", policyOnly: true, default: {} },
  ),
  ({ connect, ...said }) => ({ ...toPolicy(said), connect }),
);
