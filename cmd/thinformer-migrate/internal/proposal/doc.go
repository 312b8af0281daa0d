// Package proposal finds the changes of a program that let it use this project, and verifies
// them: it type-checks the changed program against the declarations of package standin.
//
// [Find] first replaces every import that has a replacement. Where a value of one library
// meets a type of the other one, which is a type error, the package that mentions the type
// keeps its import, and its constructors go through package interop; this repeats until
// there is no error. Then the rules in semantics.go look for programs that compile and
// behave differently, such as a type assertion that never holds. What remains is a patch
// that compiles; the rest stays, with a reason.
package proposal
