// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Compare and select.
// CHECK-LABEL: func.func @compare(
func.func @compare(%x: i32) -> i8 {
  // CHECK: arith.trunci %{{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i32 to i8
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %b = arith.select %above, %hi, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}

// The overflow bits are looked at: all bits from the sign of the result on must be equal.
// CHECK-LABEL: func.func @overflow_bits(
func.func @overflow_bits(%x: i20) -> i8 {
  // CHECK: arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 20 : i64}} : i8
  %c7 = arith.constant 7 : i20
  %c19 = arith.constant 19 : i20
  %zero = arith.constant 0 : i13
  %ones = arith.constant -1 : i13
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %t = arith.shrui %x, %c7 : i20
  %top = arith.trunci %t : i20 to i13
  %s = arith.shrui %x, %c19 : i20
  %sign = arith.trunci %s : i20 to i1
  %fits0 = arith.cmpi eq, %top, %zero : i13
  %fits1 = arith.cmpi eq, %top, %ones : i13
  %fits = arith.ori %fits0, %fits1 : i1
  %bound = arith.select %sign, %min, %max : i8
  %low = arith.trunci %x : i20 to i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}

// Bounds that are not those of a type, in unsigned arithmetic.
// CHECK-LABEL: func.func @unsigned_asymmetric(
func.func @unsigned_asymmetric(%x: i16) -> i16 {
  // CHECK: tensorlift.clamp = {low = 3 : i64, high = 200 : i64, signed = false, width = 16 : i64}
  %hi = arith.constant 200 : i16
  %lo = arith.constant 3 : i16
  %above = arith.cmpi ugt, %x, %hi : i16
  %below = arith.cmpi ult, %x, %lo : i16
  %a = arith.select %above, %hi, %x : i16
  %r = arith.select %below, %lo, %a : i16
  func.return %r : i16
}

// CHECK-LABEL: func.func @relu(
func.func @relu(%x: i32) -> i32 {
  // CHECK: arith.select {{.*}} {tensorlift.relu = {width = 32 : i64}} : i32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %r = arith.select %negative, %zero, %x : i32
  func.return %r : i32
}

// A ReLU that a mode switches on.
// CHECK-LABEL: func.func @guarded_relu(
func.func @guarded_relu(%x: i32, %on: i1) -> i32 {
  // CHECK: arith.select {{.*}} {tensorlift.relu = {width = 32 : i64, guard = 0 : i64}} : i32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %both = arith.andi %on, %negative : i1
  %r = arith.select %both, %zero, %x : i32
  func.return %r : i32
}

// The guard and the sign of something else.
// CHECK-LABEL: func.func @other_sign(
func.func @other_sign(%x: i32, %y: i32, %on: i1) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %y, %zero : i32
  %both = arith.andi %on, %negative : i1
  %r = arith.select %both, %zero, %x : i32
  func.return %r : i32
}

// ReLU and saturation in one.
// CHECK-LABEL: func.func @fused(
func.func @fused(%x: i32) -> i8 {
  // CHECK: {tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = true, width = 32 : i64}, tensorlift.relu = {width = 32 : i64}} : i32 to i8
  %hi = arith.constant 127 : i32
  %zero = arith.constant 0 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %a = arith.select %above, %hi, %x : i32
  %b = arith.select %negative, %zero, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}

// A ReLU that tests the wrong bit.
// CHECK-LABEL: func.func @wrong_bit(
func.func @wrong_bit(%x: i32) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c30 = arith.constant 30 : i32
  %zero = arith.constant 0 : i32
  %s = arith.shrui %x, %c30 : i32
  %bit = arith.trunci %s : i32 to i1
  %r = arith.select %bit, %zero, %x : i32
  func.return %r : i32
}

// Signed bounds on an unsigned comparison are what they do: the least of x and 127, read as unsigned.
// CHECK-LABEL: func.func @mixed_up(
func.func @mixed_up(%x: i32) -> i8 {
  // CHECK: tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = false, width = 32 : i64}
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi ugt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %b = arith.select %above, %hi, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}

// One value beyond the upper bound is let through: only the lower bound is one.
// CHECK-LABEL: func.func @gap(
func.func @gap(%x: i32) -> i32 {
  // CHECK: %a = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 2147483647 : i64, signed = true, width = 32 : i64}} : i32
  // CHECK-NEXT: %r = arith.select %above, %hi, %a : i32
  %hi = arith.constant 127 : i32
  %limit = arith.constant 128 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %x, %limit : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %r = arith.select %above, %hi, %a : i32
  func.return %r : i32
}

// Both arms equal: nothing is chosen.
// CHECK-LABEL: func.func @equal_arms(
func.func @equal_arms(%x: i32) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %r = arith.select %negative, %x, %x : i32
  func.return %r : i32
}

// CHECK-LABEL: func.func @wrap(
func.func @wrap(%x: i32) -> i32 {
  // CHECK: arith.extsi %{{.*}} {tensorlift.wrap = {width = 20 : i64, signed = true}} : i20 to i32
  %t = arith.trunci %x : i32 to i20
  %r = arith.extsi %t : i20 to i32
  func.return %r : i32
}

// CHECK-LABEL: func.func @half_even(
func.func @half_even(%x: i32, %s: i5) -> i32 {
  // CHECK: arith.addi {{.*}} {tensorlift.round = {mode = "half_even", width = 32 : i64}} : i32
  %zero5 = arith.constant 0 : i5
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %by = arith.extui %s : i5 to i32
  %kept = arith.shrsi %x, %by : i32
  %mask = arith.shli %ones, %by : i32
  %below = arith.xori %mask, %ones : i32
  %dropped = arith.andi %x, %below : i32
  %unit = arith.shli %one, %by : i32
  %half = arith.shrui %unit, %one : i32
  %more = arith.cmpi ugt, %dropped, %half : i32
  %equal = arith.cmpi eq, %dropped, %half : i32
  %odd = arith.trunci %kept : i32 to i1
  %tie = arith.andi %equal, %odd : i1
  %up = arith.ori %more, %tie : i1
  %shifted = arith.cmpi ne, %s, %zero5 : i5
  %add = arith.andi %shifted, %up : i1
  %bit = arith.extui %add : i1 to i32
  %r = arith.addi %kept, %bit : i32
  func.return %r : i32
}

// CHECK-LABEL: func.func @half_up(
func.func @half_up(%x: i16) -> i17 {
  // CHECK: arith.shrsi {{.*}} {tensorlift.round = {mode = "half_up", width = 16 : i64}} : i17
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}

// A rounding constant off by one.
// CHECK-LABEL: func.func @off_by_one(
func.func @off_by_one(%x: i16) -> i17 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %half = arith.constant 7 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}
