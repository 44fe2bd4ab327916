/** CPU workers call these functions of k-NN. AssemblyScript, compiled into the module of workers alone. */
export { begin, configure, configureMixed, configurePower, finish, place, placeSketched, visit } from "./filter";
export { placeRows } from "./pair";
export { placeQuantized, quantizeRows, visitQuantized } from "./quantized";
export { placeTree, searchTree } from "./tree";
export { multiplyRows, sketchRows } from "./sketch";
