// Package behaviour records the behaviour of client-go's tools/cache and util/workqueue,
// case by case, and compares cache and workqueue here with it. It exports nothing.
//
// The cases are written with client-go's import paths. The test binary is built a second
// time with an overlay that redirects those paths to ours, as in a program that switches.
// The output of both is in testdata/behaviour.txt, side by side. A case in which they
// differ names its row of docs/migration.md, and each row that can be shown has a case.
//
// With the build tag through, the informers of the cases are created by the factories of a
// clientset, of the dynamic client or of the metadata client, and the overlay replaces
// client-go's factories by those of package interop.
package behaviour
