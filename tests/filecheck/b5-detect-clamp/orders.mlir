// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// The lower bound last, the comparisons not strict and with the next number.
// CHECK-LABEL: func.func @lower_last(
func.func @lower_last(%x: i32) -> i32 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i32
  %hi = arith.constant 127 : i32
  %over = arith.constant 128 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sge, %x, %over : i32
  %below = arith.cmpi sle, %x, %lo : i32
  %a = arith.select %above, %hi, %x : i32
  %r = arith.select %below, %lo, %a : i32
  func.return %r : i32
}

// The arms the other way round, and the second comparison looks at what the first has chosen.
// CHECK-LABEL: func.func @one_after_the_other(
func.func @one_after_the_other(%x: i32) -> i32 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i32
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %inside = arith.cmpi sle, %x, %hi : i32
  %a = arith.select %inside, %x, %hi : i32
  %enough = arith.cmpi sge, %a, %lo : i32
  %r = arith.select %enough, %a, %lo : i32
  func.return %r : i32
}

// The bounds chosen first, at the width of the result.
// CHECK-LABEL: func.func @bound_first(
func.func @bound_first(%x: i32) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i8
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %hi8 = arith.constant 127 : i8
  %lo8 = arith.constant -128 : i8
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %outside = arith.ori %above, %below : i1
  %bound = arith.select %above, %hi8, %lo8 : i8
  %low = arith.trunci %x : i32 to i8
  %r = arith.select %outside, %bound, %low : i8
  func.return %r : i8
}

// Signed to unsigned.
// CHECK-LABEL: func.func @to_unsigned(
func.func @to_unsigned(%x: i16) -> i8 {
  // CHECK: %r = arith.trunci {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = true, width = 16 : i64}, tensorlift.relu = {width = 16 : i64}}
  %hi = arith.constant 255 : i16
  %zero = arith.constant 0 : i16
  %below = arith.cmpi slt, %x, %zero : i16
  %above = arith.cmpi sgt, %x, %hi : i16
  %a = arith.select %above, %hi, %x : i16
  %b = arith.select %below, %zero, %a : i16
  %r = arith.trunci %b : i16 to i8
  func.return %r : i8
}

// The upper bound wins over the lower one where both are exceeded, which never happens; but here the lower is the higher.
// CHECK-LABEL: func.func @crossed(
func.func @crossed(%x: i32) -> i32 {
  // CHECK-NOT: arith.select %below{{.*}}tensorlift
  // CHECK: return
  %hi = arith.constant -128 : i32
  %lo = arith.constant 127 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %above, %hi, %x : i32
  %r = arith.select %below, %lo, %a : i32
  func.return %r : i32
}
