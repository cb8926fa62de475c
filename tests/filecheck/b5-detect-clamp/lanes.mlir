// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// The second of four lanes: what is chosen is read through what is compared.
// CHECK-LABEL: func.func @second(
func.func @second(%w: i128) -> (i8, i32) {
  // CHECK: %[[SHIFTED:.*]] = arith.shrui %w, {{.*}} : i128
  // CHECK-NEXT: %[[LANE:.*]] = arith.trunci %[[SHIFTED]] : i128 to i32
  // CHECK: arith.cmpi slt, %[[LANE]]
  // CHECK: arith.trunci %[[LANE]] : i32 to i8
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i8
  %c32 = arith.constant 32 : i128
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %most = arith.constant 127 : i8
  %least = arith.constant -128 : i8
  %first = arith.trunci %w : i128 to i32
  %m = arith.shrui %w, %c32 : i128
  %x = arith.trunci %m : i128 to i32
  %below = arith.cmpi slt, %x, %lo : i32
  %above = arith.cmpi slt, %hi, %x : i32
  %low = arith.trunci %m : i128 to i8
  %a = arith.select %above, %most, %low : i8
  %r = arith.select %below, %least, %a : i8
  func.return %r, %first : i8, i32
}

// The last of two, of which only bits are looked at.  It is no shift of the word, whose other lane leads elsewhere.
// CHECK-LABEL: func.func @bits_of_the_last(
func.func @bits_of_the_last(%w: i64) -> (i8, i32) {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i8
  %c32 = arith.constant 32 : i64
  %c39 = arith.constant 39 : i64
  %c63 = arith.constant 63 : i64
  %zero = arith.constant 0 : i25
  %ones = arith.constant -1 : i25
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %first = arith.trunci %w : i64 to i32
  %h = arith.shrui %w, %c39 : i64
  %top = arith.trunci %h : i64 to i25
  %none = arith.cmpi eq, %top, %zero : i25
  %all = arith.cmpi eq, %top, %ones : i25
  %fits = arith.ori %none, %all : i1
  %s = arith.shrui %w, %c63 : i64
  %sign = arith.trunci %s : i64 to i1
  %m = arith.shrui %w, %c32 : i64
  %low = arith.trunci %m : i64 to i8
  %bound = arith.select %sign, %min, %max : i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r, %first : i8, i32
}

// Lanes without a sign, in adjacent parts.
// CHECK-LABEL: func.func @unsigned(
func.func @unsigned(%w: i64) -> (i8, i32) {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 32 : i64}} : i8
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %zero = arith.constant 0 : i24
  %ones = arith.constant -1 : i8
  %second0 = arith.shrui %w, %c32 : i64
  %second = arith.trunci %second0 : i64 to i32
  %h = arith.shrui %w, %c8 : i64
  %high = arith.trunci %h : i64 to i24
  %over = arith.cmpi ne, %high, %zero : i24
  %low = arith.trunci %w : i64 to i8
  %r = arith.select %over, %ones, %low : i8
  func.return %r, %second : i8, i32
}

// A ReLU by the sign bit of the lane, in the width of the lane, when a bit says so.
// CHECK-LABEL: func.func @guarded(
func.func @guarded(%w: i64, %on: i1) -> (i32, i32) {
  // CHECK: %r = arith.select {{.*}} {tensorlift.relu = {width = 32 : i64, guard = 0 : i64}} : i32
  %c31 = arith.constant 31 : i64
  %c32 = arith.constant 32 : i64
  %zero = arith.constant 0 : i32
  %second0 = arith.shrui %w, %c32 : i64
  %second = arith.trunci %second0 : i64 to i32
  %s = arith.shrui %w, %c31 : i64
  %sign = arith.trunci %s : i64 to i1
  %x = arith.trunci %w : i64 to i32
  %off = arith.andi %on, %sign : i1
  %r = arith.select %off, %zero, %x : i32
  func.return %r, %second : i32, i32
}

// The greater of two lanes is of two values.
// CHECK-LABEL: func.func @greater(
func.func @greater(%w: i32) -> i8 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c8 = arith.constant 8 : i32
  %a = arith.trunci %w : i32 to i8
  %s = arith.shrui %w, %c8 : i32
  %b = arith.trunci %s : i32 to i8
  %less = arith.cmpi slt, %a, %b : i8
  %r = arith.select %less, %b, %a : i8
  func.return %r : i8
}

// Compared is another lane than the one that is taken.
// CHECK-LABEL: func.func @another(
func.func @another(%w: i128) -> (i8, i32) {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c32 = arith.constant 32 : i128
  %c64 = arith.constant 64 : i128
  %hi = arith.constant 127 : i32
  %most = arith.constant 127 : i8
  %zero8 = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %first = arith.trunci %w : i128 to i32
  %m = arith.shrui %w, %c32 : i128
  %x = arith.trunci %m : i128 to i32
  %below = arith.cmpi slt, %x, %zero : i32
  %above = arith.cmpi slt, %hi, %x : i32
  %n = arith.shrui %w, %c64 : i128
  %low = arith.trunci %n : i128 to i8
  %a = arith.select %above, %most, %low : i8
  %r = arith.select %below, %zero8, %a : i8
  func.return %r, %first : i8, i32
}
