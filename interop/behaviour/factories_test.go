package behaviour

import (
	"slices"
	"strings"
	"testing"
)

// The informers of the cases are also created by the factories of a clientset, of the
// dynamic client and of the metadata client, whose clients read from the source of the case.
// With the factories of package interop, the outputs are the same as with client-go's,
// except for the differences of the case's rows.
//
// Values of client-go's types come from a factory, so tools/cache stays.
func TestFactoriesBehaveAlike(t *testing.T) {
	theirs, ours := switched(t, strings.NewReplacer(), "through_test.go", "-tags=through"), switched(t, factories, "through_test.go", "-tags=through")
	for _, kind := range []string{"factory", "dynamic", "metadata"} {
		t.Run(kind, func(t *testing.T) {
			there := runAll(t, theirs, "-through="+kind, "-origin=k8s.io/client-go/")
			here := runAll(t, ours, "-through="+kind, "-origin=github.com/thinformer/")
			compared := 0
			for i, of := range testCases() {
				if !wanted(of) || !slices.ContainsFunc(there[i], func(line string) bool { return strings.HasPrefix(line, byFactory) }) {
					continue
				}
				compared++
				if *only != "" {
					t.Log("\n" + sideBySide(of, there[i], here[i]))
				}
				if of.rows == "" && !slices.Equal(there[i], here[i]) {
					t.Errorf("%s: the factories differ, and the case names no row of the table:\n%s", of.name, sideBySide(of, there[i], here[i]))
				}
			}
			t.Logf("%d cases have an informer of the factory", compared)
			if *only == "" && compared < 60 {
				t.Errorf("only %d cases have an informer of the factory", compared)
			}
		})
	}
}

// factories replaces the import paths of client-go's factories by ours.
var factories = strings.NewReplacer(
	`"k8s.io/client-go/informers"`, `"github.com/thinformer/thinformer/interop/informers"`,
	`"k8s.io/client-go/dynamic/dynamicinformer"`, `"github.com/thinformer/thinformer/interop/dynamicinformer"`,
	`"k8s.io/client-go/metadata/metadatainformer"`, `"github.com/thinformer/thinformer/interop/metadatainformer"`,
)
