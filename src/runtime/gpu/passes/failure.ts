/** This describes a shader that does not compile, which hardly any page ever loads. */
import { DeviceError } from "../../../core/errors.ts";

/** Returns the error of a shader: what its compiler says, with the lines around, or what the error says. */
export function failureOf(
  label: string,
  code: string,
  messages: readonly GPUCompilationMessage[],
  error: DeviceError,
): DeviceError {
  return new DeviceError(describeFailure(label, code, messages) ?? `${label}: ${error.message}`, error);
}

/** Describes the compiler's errors, each under the lines around it; undefined when it has none. */
function describeFailure(
  label: string,
  code: string,
  messages: readonly GPUCompilationMessage[],
): string | undefined {
  const errors = messages.filter(({ type }) => type === "error");
  if (errors.length === 0) return undefined;
  const lines = code.split("\n");
  const parts = errors.map(({ message, lineNum, linePos }) => {
    const from = Math.max(lineNum - 3, 0);
    const shown = lines.slice(from, lineNum + 2).map((line, i) => {
      const number = from + i + 1;
      return `${number === lineNum ? ">" : " "} ${String(number).padStart(4)} | ${line}`;
    });
    return `line ${lineNum}, column ${linePos}: ${message}\n${shown.join("\n")}`;
  });
  return `${label} does not compile:\n${parts.join("\n")}`;
}
