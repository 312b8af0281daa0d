package quantity

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestRealQuantitiesPass(t *testing.T) {
	for _, text := range []string{
		"", "0", "100m", "1.5Gi", "16Ei", "9E", "1e3", "12E6", "-1e-9", "+0.5", "1e100", "1E-100", "1e0000100",
		"9223372036854775807", `"250m"`, " 1Ki ", strings.Repeat("9", 100), "no quantity",
	} {
		require.NoError(t, Check([]byte(text)), text)
	}
}

// A few bytes must not keep a core busy.
func TestExpensiveQuantitiesAreRejected(t *testing.T) {
	for _, text := range []string{
		"1e-99999999", "1e101", "1E-101", "1E+2147483647", "1e9999999999999999999999", `"1e-99999999"`, "0.1e-0000101",
		strings.Repeat("9", 101), "1e-1" + strings.Repeat("0", 97),
	} {
		require.Error(t, Check([]byte(text)), text)
	}
}

// Every text that passes Check is parsed at once: a rejected exponent takes minutes.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"1e-100", "1e-99999999", "1ee-99999999", "1E100", "0.0001n", strings.Repeat("9", 90) + "e-100", "1e+-999999999", "1KEe9999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if Check([]byte(text)) != nil {
			return
		}
		begun := time.Now()
		if q, err := resource.ParseQuantity(text); err == nil {
			_, _, _ = q.String(), q.Value(), q.AsApproximateFloat64()
		}
		require.Less(t, time.Since(begun), 30*time.Second)
	})
}
