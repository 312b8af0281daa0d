package jsonobj

//lint:file-ignore SA5008 odd tags are part of what encoding/json defines

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// shapes has a field for each decode mode.
type shapes struct {
	metav1.TypeMeta `json:",inline"`
	Meta            metav1.ObjectMeta `json:"metadata,omitempty"`

	S    string      `json:"s"`
	Name types.UID   `json:"name"`
	SP   *string     `json:"sp"`
	SPP  **string    `json:"spp"`
	B    bool        `json:"b"`
	BP   *bool       `json:"bp"`
	I    int         `json:"i"`
	I8   int8        `json:"i8"`
	I16  int16       `json:"i16"`
	I32  int32       `json:"i32"`
	I32P *int32      `json:"i32p"`
	I64  int64       `json:"i64"`
	U    uint        `json:"u"`
	U8   uint8       `json:"u8"`
	U16  uint16      `json:"u16"`
	U32  uint32      `json:"u32"`
	U64  uint64      `json:"u64"`
	Up   uintptr     `json:"up"`
	F32  float32     `json:"f32"`
	F64  float64     `json:"f64"`
	N    json.Number `json:"n"`

	Strings  []string          `json:"strings"`
	Named    []types.UID       `json:"named"`
	Bytes    []byte            `json:"bytes"`
	BytesP   *[]byte           `json:"bytesp"`
	Ints     []int             `json:"ints"`
	Bools    []bool            `json:"bools"`
	Structs  []part            `json:"structs"`
	Pointers []*part           `json:"pointers"`
	Slices   [][]string        `json:"slices"`
	Array    [2]part           `json:"array"`
	Octets   [3]byte           `json:"octets"`
	None     [0]int            `json:"none"`
	Tree     []tree            `json:"tree"`
	Empties  []struct{}        `json:"empties"`
	Anys     []any             `json:"anys"`
	Labels   map[string]string `json:"labels"`

	MapNamed  map[types.UID]types.UID          `json:"mapnamed"`
	MapStruct map[string]part                  `json:"mapstruct"`
	MapPtr    map[string]*part                 `json:"mapptr"`
	MapBytes  map[string][]byte                `json:"mapbytes"`
	MapAny    map[string]any                   `json:"mapany"`
	MapInt    map[int8]string                  `json:"mapint"`
	MapUint   map[uint16]part                  `json:"mapuint"`
	MapText   map[textKey]string               `json:"maptext"`
	MapBoth   map[bothKey]int                  `json:"mapboth"`
	MapBool   map[string]bool                  `json:"mapbool"`
	MapQ      map[types.UID]resource.Quantity  `json:"mapq"`
	MapQP     map[types.UID]*resource.Quantity `json:"mapqp"`
	MapMap    map[string]map[string]string     `json:"mapmap"`

	Any    any              `json:"any"`
	Err    error            `json:"err"`
	Raw    json.RawMessage  `json:"raw"`
	RawP   *json.RawMessage `json:"rawp"`
	Ext    runtime.RawExtension
	ExtP   *runtime.RawExtension `json:"extp"`
	Fields metav1.FieldsV1       `json:"fields"`
	Time   metav1.Time           `json:"time"`
	TimeP  *metav1.Time          `json:"timep"`
	Times  []metav1.Time         `json:"times"`
	Micro  metav1.MicroTime      `json:"micro"`
	MicroP *metav1.MicroTime     `json:"microp"`
	Go     time.Time             `json:"go"`
	Dur    metav1.Duration       `json:"dur"`
	Q      resource.Quantity     `json:"q"`
	QP     *resource.Quantity    `json:"qp"`
	IS     intstr.IntOrString    `json:"is"`
	ISP    *intstr.IntOrString   `json:"isp"`
	When   promoted              `json:"when"`
	Nam    struct{ metav1.Time } `json:"nam"`
	NamP   *struct {
		metav1.Time `json:"time"`
	} `json:"namp"`
	Own     own               `json:"own"`
	OwnP    *own              `json:"ownp"`
	OwnV    ownMap            `json:"ownv"`
	OwnMap  map[string]own    `json:"ownmap"`
	Text    textual           `json:"text"`
	TextP   *textual          `json:"textp"`
	TextS   []textual         `json:"texts"`
	TextM   textMap           `json:"textm"`
	Quoted  int               `json:"quoted,string"`
	QuotedP *int32            `json:"quotedp,string"`
	QuotedS string            `json:"quoteds,string"`
	QuotedB bool              `json:"quotedb,string"`
	QuotedF float32           `json:"quotedf,string"`
	QuotedM map[string]string `json:"quotedm,string"`
	Hidden  string            `json:"-"`
	Dash    string            `json:"-,"`
	BadTag  string            `json:"bad\"tag"`
	Empty   struct{}          `json:"empty"`
	Untag   string
	inner   string
	embeds
	*Deep
	Tagged  `json:"tagged"`
	*Twice  `json:"twice"`
	Clash   clash `json:"clash"`
	Ünicode string
	Emoji   string `json:"größe"`

	LongNameOne1 string `json:"longNameTheSameA"`
	LongNameTwo2 string `json:"longNameTheSameB"`
	LongNameTre3 string `json:"longNameXheSameB"`
}

var _ = shapes{}.inner

type part struct {
	A string `json:"a"`
	B *int   `json:"b,omitempty"`
	C []part `json:"c"`
}

type tree struct {
	Name     string          `json:"name"`
	Children []tree          `json:"children"`
	Parent   *tree           `json:"parent"`
	Index    map[string]tree `json:"index"`
	N        int             `json:"n"`
}

type embeds struct {
	Inlined string `json:"inlined"`
	S       string `json:"s"` // hidden by the outer field
	Further
}

type Further struct {
	Far  int  `json:"far"`
	FarP *int `json:"farp"`
}

type Deep struct {
	Depth int `json:"depth"`
	*Deeper
}

type Deeper struct {
	Deepest []string `json:"deepest"`
}

type Tagged struct {
	In string `json:"in"`
}

type Twice struct {
	In string `json:"in"`
}

// clash has names from more than one embedded struct.
type clash struct {
	ClashA
	ClashB
	Both string
}

type ClashA struct {
	Same  string `json:"same"`
	Both  string
	Wins  string `json:"wins"`
	Third string
}

type ClashB struct {
	Both  string
	wins  string
	Wins  string
	Third string `json:"third"`
}

var _ = ClashB{}.wins

// promoted has the UnmarshalJSON of the embedded Time, so it is decoded as a time.
type promoted struct {
	metav1.Time
	Other string `json:"other"`
}

// own decodes itself and keeps its input.
type own struct{ Got string }

func (o *own) UnmarshalJSON(b []byte) error {
	if strings.Contains(string(b), "refuse") {
		return errors.New("refused")
	}
	if !json.Valid(b) {
		return fmt.Errorf("received %q, which is not JSON", b)
	}
	o.Got += string(b) + ";"
	return nil
}

// ownMap decodes itself by a method of the value.
type ownMap map[string]string

func (o ownMap) UnmarshalJSON(b []byte) error {
	if o != nil {
		o["got"] = string(b)
	}
	return nil
}

type textual struct{ Got string }

func (t *textual) UnmarshalText(b []byte) error {
	if string(b) == "refuse" {
		return errors.New("refused")
	}
	t.Got += string(b) + ";"
	return nil
}

// textMap can be nil and has UnmarshalText.
type textMap map[string]string

func (t *textMap) UnmarshalText(b []byte) error {
	*t = textMap{"text": string(b)}
	return nil
}

type textKey struct{ K string }

func (t *textKey) UnmarshalText(b []byte) error {
	t.K = strings.ToUpper(string(b))
	return nil
}

// bothKey has UnmarshalText and UnmarshalJSON; encoding/json uses the latter.
type bothKey struct{ K string }

func (k *bothKey) UnmarshalText(b []byte) error {
	k.K = "text " + string(b)
	return nil
}

func (k *bothKey) UnmarshalJSON(b []byte) error {
	k.K = "json " + string(b)
	return nil
}
