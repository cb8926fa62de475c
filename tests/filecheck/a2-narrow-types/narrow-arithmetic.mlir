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
