/** This translates Set Role of RapidMiner, and the roles that Read CSV gives. */
import { quote } from "../document/json.ts";
import type { ParameterReader } from "./reader.ts";
import type { Made, Translation } from "./translation.ts";

export function setRole(own: ParameterReader): Translation {
  const name = own.text("attribute_name", own.text("name", ""));
  const role = own.text("target_role", "regular");
  const roles = new Map([
    ...(name === "" ? [] : [[name, role] as const]),
    ...own.list("set_additional_roles"),
  ]);
  return {
    nodes: [rolesNode(roles, own, "target_role")],
    inputs: { "example set input": "table" },
    outputs: { "example set output": "table" },
    through: { original: "example set input" },
  };
}

/** Columns of these roles are carried along; k-NN does not look at them. */
const carried = ["id", "weight", "batch", "cluster", "outlier", "cost", "base_value"];

/** Makes a node that gives columns their roles. */
export function rolesNode(roles: ReadonlyMap<string, string>, own: ParameterReader, key: string): Made {
  const named = [...roles];
  const label = named.findLast(([, role]) => role === "label")?.[0];
  for (const [name, role] of named) {
    if (role === "regular" || role === "attribute")
      own.lacks(key, `makes ${quote(name)} regular again; Set Role gives roles alone`);
    else if (role === "prediction" || role.startsWith("confidence"))
      own.lacks(key, `makes ${quote(name)} a ${role}, which is ignored here; only Apply Model predicts`);
    else if (role === "weight")
      own.note(key, `makes ${quote(name)} a weight, which k-NN leaves aside there as here`);
    else if (role !== "label" && !carried.includes(role))
      own.note(
        key,
        `gives ${quote(name)} the role ${quote(role)}, which is ignored here, as k-NN does there`,
      );
  }
  const ignore = named.flatMap(([name, role]) =>
    name !== label && !["label", "regular", "attribute"].includes(role) ? [name] : [],
  );
  return {
    operator: "setRole",
    parameters: { ...(label === undefined ? {} : { label }), ...(ignore.length === 0 ? {} : { ignore }) },
  };
}
