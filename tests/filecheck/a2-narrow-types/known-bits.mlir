// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// A masked counter plus one never reaches 20.
// CHECK-LABEL: func.func @decided(
func.func @decided(%x: i32) -> i1 {
  // CHECK: %[[R:.*]] = arith.constant true
  // CHECK-NOT: arith.cmpi
  // CHECK: func.return %[[R]]
  %c15 = arith.constant 15 : i32
  %c1 = arith.constant 1 : i32
  %c20 = arith.constant 20 : i32
  %low = arith.andi %x, %c15 : i32
  %next = arith.addi %low, %c1 : i32
  %r = arith.cmpi ult, %next, %c20 : i32
  func.return %r : i1
}

// It does reach 16.
// CHECK-LABEL: func.func @undecided(
func.func @undecided(%x: i32) -> i1 {
  // CHECK: arith.cmpi
  // CHECK: return
  %c15 = arith.constant 15 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %low = arith.andi %x, %c15 : i32
  %next = arith.addi %low, %c1 : i32
  %r = arith.cmpi ult, %next, %c16 : i32
  func.return %r : i1
}

// A mask that keeps all that can be set.
// CHECK-LABEL: func.func @mask(
func.func @mask(%x: i8, %y: i8) -> i16 {
  // CHECK: %[[S:.*]] = arith.addi
  // CHECK-NEXT: func.return %[[S]]
  %c1023 = arith.constant 1023 : i16
  %a = arith.extui %x : i8 to i16
  %b = arith.extui %y : i8 to i16
  %s = arith.addi %a, %b : i16
  %r = arith.andi %s, %c1023 : i16
  func.return %r : i16
}

// One bit less and it cuts the carry off.
// CHECK-LABEL: func.func @short_mask(
func.func @short_mask(%x: i8, %y: i8) -> i16 {
  // CHECK: arith.andi
  // CHECK: return
  %c255 = arith.constant 255 : i16
  %a = arith.extui %x : i8 to i16
  %b = arith.extui %y : i8 to i16
  %s = arith.addi %a, %b : i16
  %r = arith.andi %s, %c255 : i16
  func.return %r : i16
}

// A multiplexer whose condition is decided goes with it.
// CHECK-LABEL: func.func @dead_arm(
func.func @dead_arm(%x: i4, %y: i8, %z: i8) -> i8 {
  // CHECK-NEXT: func.return %z
  %c16 = arith.constant 16 : i8
  %w = arith.extui %x : i4 to i8
  %never = arith.cmpi uge, %w, %c16 : i8
  %r = arith.select %never, %y, %z : i8
  func.return %r : i8
}

// So does a conditional store.
// CHECK-LABEL: func.func @dead_store(
func.func @dead_store(%x: i4, %y: i8, %m: memref<16xi8>) {
  // CHECK-NOT: memref.store
  // CHECK: func.return
  %c16 = arith.constant 16 : i8
  %zero = arith.constant 0 : index
  %w = arith.extui %x : i4 to i8
  %never = arith.cmpi uge, %w, %c16 : i8
  scf.if %never {
    memref.store %y, %m[%zero] : memref<16xi8>
  }
  func.return
}
