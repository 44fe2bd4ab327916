// convolve through workgroup memory: a workgroup makes a tile of outputs of one row and one mask, a lane
// three vectors of them. The samples are read from memory once for each CHUNK of taps. Tiles begin where
// samples are aligned, whatever the row, so that they come in vectors.
//
// Every vector of a lane is read from workgroup memory once for four taps. Lanes are three vectors apart,
// an odd number, so that they read from different banks.
//
// Globals: THREADS, CHUNK (taps, a multiple of 4), Scalar, Vec; params.tiles (of a row and a mask),
// params.items (tiles in all), params.masks, params.count, params.length, params.taps, params.before; signal,
// output; convolve_samples, taps_storage, sums_*.

const TILE: u32 = 12u * THREADS;

var<workgroup> tile: array<Vec, 3u * THREADS + CHUNK / 4u + 1u>;
var<workgroup> weights: array<Vec, CHUNK / 4u>;
var<workgroup> largest: atomic<u32>;

fn signalAt(at: u32) -> Scalar {
  return signal[at / 4u][at % 4u];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.tiles;
  let row = line / params.masks;
  let number = line % params.masks;
  // The first output, up to three before the tile, and the place of its first sample; of the first tile the
  // former may be negative.
  let shift = (params.before - i32((row * params.count) % 4u)) & 3;
  let begin = i32(item % params.tiles * TILE) + select(shift - 4, 0, shift == 0);
  let first = begin - params.before;

  var a = Vec();
  var b = Vec();
  var c = Vec();
  for (var chunk = 0u; chunk < params.taps; chunk += CHUNK) {
    let taps = min(CHUNK, params.taps - chunk);
    workgroupBarrier();
    load(row, number, first + i32(chunk), chunk, taps, lane);
    workgroupBarrier();
    var at = 3u * lane;
    var w = tile[at];
    var x = tile[at + 1u];
    var y = tile[at + 2u];
    var z = tile[at + 3u];
    for (var group = 0u; group < taps / 4u; group++) {
      let weight = weights[group];
      a = add(a, weight, w, x);
      b = add(b, weight, x, y);
      c = add(c, weight, y, z);
      at++;
      w = x;
      x = y;
      y = z;
      z = tile[at + 3u];
    }
    // Taps past the last are not multiplied, since what they would meet may be NaN.
    if (taps % 4u > 0u) {
      let weight = weights[taps / 4u];
      a = addSome(a, weight, taps % 4u, w, x);
      b = addSome(b, weight, taps % 4u, x, y);
      c = addSome(c, weight, taps % 4u, y, z);
    }
  }

  workgroupBarrier();
  tile[3u * lane] = a;
  tile[3u * lane + 1u] = b;
  tile[3u * lane + 2u] = c;
  workgroupBarrier();
  let suspect = isSuspect(atomicLoad(&largest));
  for (var at = lane; at < TILE; at += THREADS) {
    let o = begin + i32(at);
    if (o >= 0 && o < i32(params.length)) {
      output[line * params.length + u32(o)] = tile[at / 4u][at % 4u];
      if (suspect) {
        checkSum(line * params.length + u32(o), row, number, o - params.before);
      }
    }
  }
}

// Loads the samples that some taps need, and the taps.
fn load(row: u32, number: u32, first: i32, chunk: u32, taps: u32, lane: u32) {
  var most = 0u;
  for (var at = lane; at <= 3u * THREADS + taps / 4u; at += THREADS) {
    let place = first + 4 * i32(at);
    var samples: Vec;
    if (place >= 0 && place + 3 < i32(params.count)) {
      samples = signal[(row * params.count + u32(place)) / 4u];
    } else {
      samples = Vec(
        sampleAt(row, place),
        sampleAt(row, place + 1),
        sampleAt(row, place + 2),
        sampleAt(row, place + 3),
      );
    }
    tile[at] = samples;
    most = max(most, max(magnitude(samples.x), magnitude(samples.y)));
    most = max(most, max(magnitude(samples.z), magnitude(samples.w)));
  }
  atomicMax(&largest, most);
  for (var at = lane; 4u * at < taps; at += THREADS) {
    var weight = Vec();
    for (var i = 0u; i < min(4u, taps - 4u * at); i++) {
      weight[i] = tapAt(number, chunk + 4u * at + i);
    }
    weights[at] = weight;
  }
}

// The sums of four outputs, with four more taps on eight samples.
fn add(sum: Vec, weight: Vec, x: Vec, y: Vec) -> Vec {
  let near = weight.x * x + weight.y * Vec(x.yzw, y.x);
  return sum + near + weight.z * Vec(x.zw, y.xy) + weight.w * Vec(x.w, y.xyz);
}

// The same with one, two or three taps.
fn addSome(given: Vec, weight: Vec, taps: u32, x: Vec, y: Vec) -> Vec {
  var sum = given + weight.x * x;
  if (taps > 1u) {
    sum += weight.y * Vec(x.yzw, y.x);
  }
  if (taps > 2u) {
    sum += weight.z * Vec(x.zw, y.xy);
  }
  return sum;
}
