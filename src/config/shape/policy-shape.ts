import { policyFields, toPolicy } from "../../core/scene/scene-shapes.ts";
import { choice, record, sourcedShape, to } from "../../core/shape/shape.ts";
import { strictestFirst } from "../../core/shape/trust-marks.ts";

export const policy = to(
  record(
    {
      ...policyFields,
      connect: sourcedShape(
        choice(["allow", "deny"], {
          about: "whether clients may use the gateway without a token: `toolcrib connect` and `toolcrib serve --stdio`",
          default: "allow",
          narrow: strictestFirst("deny", "allow"),
        }),
      ),
      audit: sourcedShape(
        choice(["required", "optional"], {
          about:
            "whether the log of calls has to be kept: `required` refuses `--no-audit`, covers programs with the library too, and refuses calls that cannot be written to it",
          default: "optional",
          narrow: strictestFirst("required", "optional"),
        }),
      ),
    },
    { about: "what an organisation decides", policyOnly: true, default: {} },
  ),
  ({ connect, audit, ...said }) => ({ ...toPolicy(said), connect, audit }),
);
