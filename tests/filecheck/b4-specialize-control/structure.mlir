// RUN: tensorlift-opt %s -p b4-specialize-control | filecheck %s

// A conditional in a conditional, with an else, and what is after it.
// CHECK-LABEL: func.func @nested__act_0__bias_1(
// CHECK-NOT: scf.if
// CHECK: memref.store %b
// CHECK-NOT: memref.store
// CHECK-LABEL: func.func @nested__act_1__bias_1(
// CHECK-NOT: scf.if
// CHECK: memref.store %a
// CHECK-NOT: memref.store
// CHECK: return
func.func @nested(%a: i8, %b: i8, %c: i8, %m: memref<16xi8>, %act: i1 {rtl.name = "act"}, %bias: i1 {rtl.name = "bias"})
    attributes {taidl.specialize = [{act = 0, bias = 1}, {act = 1, bias = 1}]} {
  %i = arith.constant 3 : index
  scf.if %bias {
    scf.if %act {
      memref.store %a, %m[%i] : memref<16xi8>
    } else {
      memref.store %b, %m[%i] : memref<16xi8>
    }
  } else {
    memref.store %c, %m[%i] : memref<16xi8>
  }
  func.return
}

// A conditional that gives values.
// CHECK-LABEL: func.func @values(
// CHECK-NEXT: func.return %b
func.func @values(%a: i8, %b: i8, %act: i1 {rtl.name = "act"}) -> i8 attributes {taidl.specialize = {act = 0}} {
  %r = scf.if %act -> (i8) {
    scf.yield %a : i8
  } else {
    scf.yield %b : i8
  }
  func.return %r : i8
}

// A loop that runs no times; and one whose number of iterations another argument gives.
// CHECK-LABEL: func.func @loops(
// CHECK: scf.for
// CHECK-NEXT: memref.store %b
// CHECK-NOT: scf.for
// CHECK: return
func.func @loops(%a: i8, %b: i8, %m: memref<16xi8>, %rows: i4 {rtl.name = "rows"}, %more: i4 {rtl.name = "more"}) attributes {taidl.specialize = {rows = 0}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.index_castui %rows : i4 to index
  %k = arith.index_castui %more : i4 to index
  scf.for %i = %zero to %n step %one {
    memref.store %a, %m[%i] : memref<16xi8>
  }
  scf.for %i = %zero to %k step %one {
    memref.store %b, %m[%i] : memref<16xi8>
  }
  func.return
}
