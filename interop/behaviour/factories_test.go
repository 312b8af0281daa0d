package behaviour

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The informers of the cases are also created by the factories of a clientset, of the
// dynamic client and of the metadata client, whose clients read from the source of the case.
// With the factories of package interop, the outputs are the same as with client-go's. A
// case that names rows of the table may instead have the two outputs that it has with
// informers created directly, so that it cannot differ for another reason.
//
// Values of client-go's types come from a factory, so tools/cache stays.
func TestFactoriesBehaveAlike(t *testing.T) {
	theirs, ours := switched(t, strings.NewReplacer(), "through_test.go", "-tags=through"), switched(t, factories, "through_test.go", "-tags=through")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	directThere, directHere := runAll(t, executable), runAll(t, switched(t, imports, "*.go"))
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
				if slices.Equal(there[i], here[i]) || notAsDirect[of.name] != "" {
					continue
				}
				direct := slices.Equal(withoutCount(there[i]), directThere[i]) && slices.Equal(withoutCount(here[i]), directHere[i])
				switch {
				case of.rows == "":
					t.Errorf("%s: the factories differ, and the case names no row of the table:\n%s", of.name, sideBySide(of, there[i], here[i]))
				case !direct:
					t.Errorf("%s: the factories differ, and not as informers created directly:\n%s\ndirectly:\n%s", of.name,
						sideBySide(of, there[i], here[i]), sideBySide(of, directThere[i], directHere[i]))
				}
			}
			t.Logf("%d cases have an informer of the factory", compared)
			if *only == "" && compared < 60 {
				t.Errorf("only %d cases have an informer of the factory", compared)
			}
		})
	}
}

// notAsDirect has the cases that differ in another way than with informers created
// directly, and the reasons.
var notAsDirect = map[string]string{
	"fake/a fake clientset in functions": "the clients of through_test.go hide the functions from both libraries, so that client-go waits for initial events to the end of the case",
}

// withoutCount returns the output of a case without the number of informers.
func withoutCount(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(line, byFactory) })
}

// factories replaces the import paths of client-go's factories by ours.
var factories = strings.NewReplacer(
	`"k8s.io/client-go/informers"`, `"github.com/thinformer/thinformer/interop/informers"`,
	`"k8s.io/client-go/dynamic/dynamicinformer"`, `"github.com/thinformer/thinformer/interop/dynamicinformer"`,
	`"k8s.io/client-go/metadata/metadatainformer"`, `"github.com/thinformer/thinformer/interop/metadatainformer"`,
)
