package jsonobj

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Promise: "Quantities of more than 100 bytes, or an exponent beyond 100, are
// refused", in each field of a type. Each would take half a minute to parse.
func TestExpensiveQuantitiesAreRejected(t *testing.T) {
	type amounts struct {
		Q     resource.Quantity             `json:"q"`
		P     *resource.Quantity            `json:"p"`
		Value resource.QuantityValue        `json:"value"`
		List  []resource.Quantity           `json:"list"`
		Map   map[string]resource.Quantity  `json:"map"`
		Ints  map[int]resource.Quantity     `json:"ints"`
		PMap  map[string]*resource.Quantity `json:"pmap"`
	}
	begun := time.Now()
	for _, text := range []string{
		`"1e-99999999"`, `1e-99999999`, `" 1E-99999999"`, `"1e101"`, `1E+2000000000`, `"\t1e-99999999"`, `"` + strings.Repeat("9", 200) + `"`, strings.Repeat("9", 200),
	} {
		for document, path := range map[string]string{
			`{"q":%s}`: "q", `{"p":%s}`: "p", `{"value":%s}`: "value", `{"list":["1",%s]}`: "list[1]", `{"map":{"cpu":%s}}`: "map.cpu", `{"ints":{"1":%s}}`: "ints.1", `{"pmap":{"cpu":%s}}`: "pmap.cpu",
		} {
			document = fmt.Sprintf(document, text)
			_, n, err := decode[amounts](t, new(Decoder), document)
			var value *ValueError
			require.ErrorAs(t, err, &value, document)
			require.Equal(t, path, value.Path)
			require.Equal(t, len(document), n, "only one item is lost")
		}
	}
	require.Less(t, time.Since(begun), 30*time.Second)
	got, _, err := decode[amounts](t, new(Decoder), `{"value":"1500m","q":1e100}`)
	require.NoError(t, err)
	require.Equal(t, "1500m", got.Value.String())
}

// echo quotes its input in its error, as many types do.
type echo struct{}

func (*echo) UnmarshalJSON(data []byte) error { return fmt.Errorf("%w: %s", errEcho, data) }

// echoText is like echo, with UnmarshalText.
type echoText struct{}

func (*echoText) UnmarshalText(text []byte) error { return fmt.Errorf("%w: %s", errEcho, text) }

var errEcho = errors.New("it does not fit")

// Promise: the length of messages is bounded.
func TestMessagesAreBounded(t *testing.T) {
	type everything struct {
		I    int               `json:"i"`
		U    uint8             `json:"u"`
		F    float32           `json:"f"`
		T    time.Time         `json:"t"`
		Q    resource.Quantity `json:"q"`
		N    int               `json:"n,string"`
		Echo echo              `json:"echo"`
		Text echoText          `json:"text"`
		Keys map[int]string    `json:"keys"`
		Any  any               `json:"any"`
	}
	const size = 8 << 20
	digits, text := strings.Repeat("9", size), `"`+strings.Repeat("ü", size/2)+`"`
	for document, isEcho := range map[string]bool{
		`{"i":` + digits + `}`: false, `{"u":` + digits + `}`: false, `{"f":` + digits + `}`: false, `{"any":` + digits + `}`: false,
		`{"q":` + digits + `}`: false, `{"n":` + digits + `}`: false, `{"t":` + text + `}`: false, `{"q":` + text + `}`: false,
		`{"n":` + text + `}`: false, `{"i":` + text + `}`: false, `{"echo":` + text + `}`: true, `{"text":` + text + `}`: true,
		`{"keys":{` + text + `:""}}`: false, `{"keys":{"` + digits + `":""}}`: false,
	} {
		_, _, err := decode[everything](t, new(Decoder), document)
		require.Error(t, err, document[:10])
		require.Less(t, len(err.Error()), 1000, document[:10])
		require.Equal(t, isEcho, errors.Is(err, errEcho), "the error is wrapped")
	}
	_, _, err := decode[everything](t, new(Decoder), `{"i":`+digits+`}`)
	require.EqualError(t, err, "the number "+digits[:32]+"... of 8388608 bytes does not fit int at byte 5, in i")
}
