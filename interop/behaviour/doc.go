// Package behaviour shows what client-go's tools/cache and util/workqueue do,
// case by case, and holds cache and workqueue here to it. It exports nothing.
//
// The cases are written against client-go's import paths. Its test binary is
// built a second time with an overlay in which those paths lead to ours, which
// is what a program does that switches; what both print stands side by side in
// testdata/behaviour.txt. A case in which they differ names its row of
// docs/migration.md, and each row that can be shown has a case.
package behaviour
