// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s

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
