// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// CHECK-LABEL: func.func @product(
func.func @product(%a: i8, %b: i8) -> i16 {
  // CHECK: arith.muli %{{.*}}, %{{.*}} : i16
  // CHECK-NEXT: func.return
  %x = arith.extsi %a : i8 to i32
  %y = arith.extsi %b : i8 to i32
  %p = arith.muli %x, %y : i32
  %r = arith.trunci %p : i32 to i16
  func.return %r : i16
}

// The low bits of a quotient or of a shift to the right depend on the high ones.
// CHECK-LABEL: func.func @high_bits_count(
func.func @high_bits_count(%a: i8, %b: i8) -> (i8, i8) {
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i16
  // CHECK: arith.shrui %{{.*}}, %{{.*}} : i16
  %c3 = arith.constant 3 : i16
  %x = arith.extsi %a : i8 to i16
  %y = arith.extsi %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %d = arith.divui %p, %y : i16
  %q = arith.trunci %d : i16 to i8
  %s = arith.shrui %p, %c3 : i16
  %r = arith.trunci %s : i16 to i8
  func.return %q, %r : i8, i8
}

// A sum that is used whole is not computed twice.
// CHECK-LABEL: func.func @used_whole(
func.func @used_whole(%a: i8, %b: i8) -> (i8, i32) {
  // CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK-NOT: arith.addi
  // CHECK: return
  %x = arith.extsi %a : i8 to i32
  %y = arith.extsi %b : i8 to i32
  %s = arith.addi %x, %y : i32
  %r = arith.trunci %s : i32 to i8
  func.return %r, %s : i8, i32
}

// CHECK-LABEL: func.func @choice(
func.func @choice(%c: i1, %a: i8, %b: i8) -> i16 {
  // CHECK: %[[A:.*]] = arith.extsi %a : i8 to i16
  // CHECK: %[[B:.*]] = arith.extui %b : i8 to i16
  // CHECK: %[[R:.*]] = arith.select %c, %[[A]], %[[B]] : i16
  // CHECK-NEXT: func.return %[[R]]
  %x = arith.extsi %a : i8 to i32
  %y = arith.extui %b : i8 to i32
  %s = arith.select %c, %x, %y : i32
  %r = arith.trunci %s : i32 to i16
  func.return %r : i16
}

// CHECK-LABEL: func.func @shifted(
func.func @shifted(%a: i8) -> i16 {
  // CHECK: %[[R:.*]] = arith.shli %{{.*}}, %{{.*}} : i16
  // CHECK-NEXT: func.return %[[R]]
  %c3 = arith.constant 3 : i32
  %x = arith.extsi %a : i8 to i32
  %s = arith.shli %x, %c3 : i32
  %r = arith.trunci %s : i32 to i16
  func.return %r : i16
}

// A saturation of what is not extended stays as wide as its comparisons: its truncation is what B5 reads.
// CHECK-LABEL: func.func @saturated(
func.func @saturated(%x: i32) -> i8 {
  // CHECK: arith.select %{{.*}}, %{{.*}}, %x : i32
  // CHECK: arith.trunci
  %hi = arith.constant 127 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %a = arith.select %above, %hi, %x : i32
  %r = arith.trunci %a : i32 to i8
  func.return %r : i8
}
