package objects

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the files of the root module")

const folder = "../../internal/wire/testdata/objects"

// The root module's files are exactly this corpus.
func TestFilesAreUpToDate(t *testing.T) {
	entries, err := All()
	require.NoError(t, err)
	want := map[string][]byte{}
	for _, entry := range entries {
		want[entry.Name+".json"] = entry.JSON
		if entry.Protobuf != nil {
			want[entry.Name+".pb"] = entry.Protobuf
		}
	}
	if *rewrite {
		write(t, want)
	}
	found, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, file := range found {
		require.Contains(t, want, file.Name(), "the file is not part of the corpus: run with -rewrite")
	}
	total := 0
	for name, content := range want {
		stored, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err, "run with -rewrite")
		require.True(t, string(stored) == string(content), "%s is out of date: run with -rewrite", name)
		total += len(stored)
	}
	require.Less(t, total, 400<<10, "the corpus is too large for the repository: generate large objects")
}

func write(t *testing.T, files map[string][]byte) {
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o644))
	}
}

// The corpus has many kinds, and apimachinery decodes the encoded objects to equal ones:
// otherwise comparisons would prove nothing.
func TestCorpusRoundTrips(t *testing.T) {
	entries, err := All()
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, entry := range entries {
		kind, err := json.DefaultMetaFactory.Interpret(entry.JSON)
		require.NoError(t, err, entry.Name)
		require.False(t, kind.Version == "" || kind.Kind == "", entry.Name)
		if entry.Object == nil {
			_, _, err := scheme.Codecs.UniversalDeserializer().Decode(entry.JSON, nil, nil)
			require.NoError(t, err, entry.Name)
			continue
		}
		kinds[entry.Object.GetObjectKind().GroupVersionKind().String()] = true
		if _, untyped := entry.Object.(*unstructured.Unstructured); untyped {
			continue
		}
		for _, form := range [][]byte{entry.JSON, entry.Protobuf} {
			back, _, err := scheme.Codecs.UniversalDeserializer().Decode(form, nil, nil)
			require.NoError(t, err, entry.Name)
			back.GetObjectKind().SetGroupVersionKind(entry.Object.GetObjectKind().GroupVersionKind())
			require.True(t, equality.Semantic.DeepEqual(entry.Object, back), entry.Name)
			again, err := JSON(back)
			require.NoError(t, err, entry.Name)
			require.Equal(t, string(entry.JSON), string(again), entry.Name)
		}
	}
	require.GreaterOrEqual(t, len(kinds), 30)
}

// The pods of the benchmarks have a typical size.
func TestPodSizeIsTypical(t *testing.T) {
	const pods = 1000
	inJSON, inProtobuf := 0, 0
	for i := range pods {
		asJSON, err := JSON(Pod(i))
		require.NoError(t, err)
		asProtobuf, err := Protobuf(Pod(i))
		require.NoError(t, err)
		inJSON, inProtobuf = inJSON+len(asJSON), inProtobuf+len(asProtobuf)
	}
	require.InDelta(t, 5800, inJSON/pods, 300)
	require.InDelta(t, 3700, inProtobuf/pods, 300)
}
