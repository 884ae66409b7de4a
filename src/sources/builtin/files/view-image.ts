import { imageTypeOf, MOST_IMAGE_BYTES } from "../../../core/call/image-type.ts";
import { withFile } from "../../../system/paths/open-inside.ts";
import { fail } from "../parts/results.ts";
import { textArgument } from "./arguments.ts";
import type { FileTool } from "./file-handler.ts";
import { nearestPaths } from "./nearest-paths.ts";

/** `view_image`: an image file, judged by its bytes, for the model to look at. */
export const viewImage: FileTool = async (args, { disk, place: placeOf }) => {
  const place = await placeOf(textArgument(args, "path"));
  if (place.missing.length > 0) return fail(`${place.shown} does not exist.${await nearestPaths(disk, place)}`);
  return withFile(disk, place, async ({ handle, stats }) => {
    if (stats.size > MOST_IMAGE_BYTES) {
      return fail(
        `${place.shown} has ${stats.size} bytes; images of up to ${MOST_IMAGE_BYTES} bytes can be shown. Scale it down.`,
      );
    }
    const bytes = await handle.readFile();
    const mimeType = imageTypeOf(bytes);
    if (mimeType === null) return fail(`${place.shown} is not a PNG, JPEG, GIF or WebP image.`);
    return {
      textResultForLlm: `${place.shown} (${mimeType}, ${bytes.length} bytes)`,
      resultType: "success",
      binaryResultsForLlm: [{ type: "image", mimeType, data: bytes.toString("base64"), description: place.shown }],
    };
  });
};
