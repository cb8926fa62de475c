// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// CHECK-LABEL: func.func @unsigned(
func.func @unsigned(%x: i8, %y: i8) -> i1 {
  // CHECK-NEXT: %[[R:.*]] = arith.cmpi ult, %x, %y : i8
  // CHECK-NEXT: func.return %[[R]]
  %a = arith.extui %x : i8 to i32
  %b = arith.extui %y : i8 to i32
  %r = arith.cmpi ult, %a, %b : i32
  func.return %r : i1
}

// CHECK-LABEL: func.func @signed_constant(
func.func @signed_constant(%x: i20) -> i1 {
  // CHECK-NEXT: %[[C:.*]] = arith.constant 127 : i20
  // CHECK-NEXT: %[[R:.*]] = arith.cmpi sgt, %x, %[[C]] : i20
  // CHECK-NEXT: func.return %[[R]]
  %c = arith.constant 127 : i32
  %a = arith.extsi %x : i20 to i32
  %r = arith.cmpi sgt, %a, %c : i32
  func.return %r : i1
}

// A signed and an unsigned byte need nine bits.
// CHECK-LABEL: func.func @mixed(
func.func @mixed(%x: i8, %y: i8) -> i1 {
  // CHECK-NEXT: %[[A:.*]] = arith.extsi %x : i8 to i9
  // CHECK-NEXT: %[[B:.*]] = arith.extui %y : i8 to i9
  // CHECK-NEXT: arith.cmpi slt, %[[A]], %[[B]] : i9
  %a = arith.extsi %x : i8 to i32
  %b = arith.extui %y : i8 to i32
  %r = arith.cmpi slt, %a, %b : i32
  func.return %r : i1
}

// A sign extension compared as unsigned: its upper bits count.
// CHECK-LABEL: func.func @sign_bits_count(
func.func @sign_bits_count(%x: i8, %y: i32) -> i1 {
  // CHECK-NEXT: arith.extsi
  // CHECK-NEXT: arith.cmpi ult, %{{.*}}, %y : i32
  %a = arith.extsi %x : i8 to i32
  %r = arith.cmpi ult, %a, %y : i32
  func.return %r : i1
}
