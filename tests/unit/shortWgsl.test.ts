/** The build shortens shaders: what other texts name must stay, and no name may come to mean another. */
import { expect, test } from "vitest";
import { shortWgsl } from "../../scripts/wgsl.mjs";

test("shortens parameters and variables of a function, and no other names", () => {
  expect(
    shortWgsl(`
      // Adds up a row.
      const ROW: u32 = 4u;
      var<workgroup> sums: array<f32, ROW>;
      fn total(first: u32) -> f32 {
        var sum = 0.0;
        for (var at = first; at < first + ROW; at++) { sum += sums[at]; }
        return sum;
      }
    `),
  ).toBe(
    "const ROW:u32=4u;\nvar<workgroup> sums:array<f32,ROW>;\n" +
      "fn total(a:u32)->f32{var b=0.0;\nfor(var c=a;c<a+ROW;c++){b+=sums[c];}\nreturn b;}\n",
  );
});

test("leaves members, attributes and their arguments", () => {
  expect(
    shortWgsl(
      "fn main(@builtin(local_invocation_index) index: u32) { let key = pairs[index].key; use(key); }",
    ),
  ).toBe("fn main(@builtin(local_invocation_index) a:u32){let b=pairs[a].key;use(b);}");
  expect(shortWgsl("fn f(bounds: Bounds) -> f32 { return bounds . x; }")).toBe(
    "fn f(a:Bounds)->f32{return a . x;}",
  );
  expect(shortWgsl("fn f(box: Box) -> f32 { let low = 1.0; return box.low + low; }")).toBe(
    "fn f(a:Box)->f32{let b=1.0;return a.low+b;}",
  );
  expect(shortWgsl("fn f(@location(0) position: f32, @builtin(position) pixel: vec4f) {}")).toBe(
    "fn f(@location(0) a:f32,@builtin(position) b:vec4f){}",
  );
});

test("tells a variable from the global that its declaration hides", () => {
  expect(shortWgsl("fn f() { let rows = rows(1u); use(rows); }")).toBe("fn f(){let a=rows(1u);use(a);}");
});

test("ends a variable with its block or its loop", () => {
  expect(shortWgsl("fn f() { if (ok) { let limit = 1u; use(limit); }\nuse(limit); }")).toBe(
    "fn f(){if(ok){let a=1u;use(a);}\nuse(limit);}",
  );
  expect(shortWgsl("fn f() { for (var at = 0u; at < 2u; at++) { use(at); }\nuse(at); }")).toBe(
    "fn f(){for(var a=0u;a<2u;a++){use(a);}\nuse(at);}",
  );
});

test("takes no letter that the function uses itself", () => {
  expect(shortWgsl("fn f(value: u32) -> u32 { return a + b + value; }")).toBe(
    "fn f(c:u32)->u32{return a+b+c;}",
  );
  const many = Array.from({ length: 30 }, (_, at) => `let name${at} = ${at}u;`).join(" ");
  expect(shortWgsl(`fn f() { ${many} use(name27); }`)).toMatch(
    /let z=25u;let aa=26u;let ab=27u;.*use\(ab\);\}$/,
  );
});

test("takes no word of the language", () => {
  const many = Array.from({ length: 700 }, (_, at) => `let name${at} = ${at}u;`).join(" ");
  expect(shortWgsl(`fn f() { ${many} }`)).not.toMatch(/let (as|do|fn|if|of)=/);
});

test("keeps the space that a declaration of memory needs", () => {
  expect(shortWgsl("fn f() { var<function> kept: array<u32, 4>; kept[0] = 1u; }")).toBe(
    "fn f(){var<function> a:array<u32,4>;a[0]=1u;}",
  );
});

test("refuses a shader whose brackets do not match", () => {
  expect(() => shortWgsl("fn f() { if (ok) { }")).toThrow("a { of a shader is not closed");
});
