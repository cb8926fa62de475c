// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s

// CHECK-LABEL: func.func @signed(
func.func @signed(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK: tensorlift.mac = {product = 0 : i64, a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 20 : i64, a_signed = true, b_signed = true}
  %x = arith.extsi %a : i8 to i16
  %y = arith.extsi %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}

// CHECK-LABEL: func.func @mixed_signs(
func.func @mixed_signs(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK: a_signed = false, b_signed = true
  %x = arith.extui %a : i8 to i20
  %y = arith.extsi %b : i8 to i20
  %p = arith.muli %x, %y : i20
  %r = arith.addi %c, %p : i20
  func.return %r : i20
}

// An unsigned product that is sign-extended is neither.
// CHECK-LABEL: func.func @unsigned_dressed_as_signed(
func.func @unsigned_dressed_as_signed(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}

// A product that lost its high half is not a * b.
// CHECK-LABEL: func.func @narrow_product(
func.func @narrow_product(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %x = arith.extsi %a : i8 to i12
  %y = arith.extsi %b : i8 to i12
  %p = arith.muli %x, %y : i12
  %q = arith.extsi %p : i12 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}

// CHECK-LABEL: func.func @bit_packing(
func.func @bit_packing(%a: i8, %b: i8) -> i16 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %c256 = arith.constant 256 : i16
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %c256 : i16
  %r = arith.addi %p, %y : i16
  func.return %r : i16
}

// CHECK-LABEL: func.func @address(
func.func @address(%stride: i10, %row: i10, %base: i10, %m: memref<1024xi8>) -> i8 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %p = arith.muli %stride, %row : i10
  %s = arith.addi %base, %p : i10
  %i = arith.index_castui %s : i10 to index
  %r = memref.load %m[%i] : memref<1024xi8>
  func.return %r : i8
}
