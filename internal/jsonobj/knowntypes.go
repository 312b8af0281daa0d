package jsonobj

import (
	"strings"
	"time"
	"unsafe"

	"github.com/thinformer/thinformer/internal/quantity"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// timeAt parses the times that servers write, "2006-01-02T15:04:05Z" and, if
// micro is set, "2006-01-02T15:04:05.000000Z". ok is false for any other value,
// which is left to the type's own UnmarshalJSON.
func timeAt(data []byte, i int, micro bool) (t time.Time, end int, ok bool) {
	size := len(`"2006-01-02T15:04:05Z"`)
	if micro {
		size = len(`"2006-01-02T15:04:05.000000Z"`)
	}
	if len(data)-i < size {
		return t, 0, false
	}
	b := data[i : i+size]
	if b[0] != '"' || b[5] != '-' || b[8] != '-' || b[11] != 'T' || b[14] != ':' || b[17] != ':' || b[size-2] != 'Z' || b[size-1] != '"' {
		return t, 0, false
	}
	century, ok1 := twoDigits(b[1:])
	year, ok2 := twoDigits(b[3:])
	month, ok3 := twoDigits(b[6:])
	day, ok4 := twoDigits(b[9:])
	hour, ok5 := twoDigits(b[12:])
	minute, ok6 := twoDigits(b[15:])
	second, ok7 := twoDigits(b[18:])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7) || hour > 23 || minute > 59 || second > 59 {
		return t, 0, false
	}
	year += century * 100
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return t, 0, false
	}
	nanos := 0
	if micro {
		high, ok1 := twoDigits(b[21:])
		middle, ok2 := twoDigits(b[23:])
		low, ok3 := twoDigits(b[25:])
		if b[20] != '.' || !ok1 || !ok2 || !ok3 {
			return t, 0, false
		}
		nanos = ((high*100+middle)*100 + low) * 1000
	}
	seconds := daysBefore(year, month, day)*86400 + int64(hour*3600+minute*60+second)
	return time.Unix(seconds, int64(nanos)), i + size, true
}

func twoDigits(b []byte) (int, bool) {
	high, low := b[0]-'0', b[1]-'0'
	return int(high)*10 + int(low), high <= 9 && low <= 9
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysBefore returns the number of days from 1970-01-01 to a date. Years begin in
// March, so that the leap day is the last day.
func daysBefore(year, month, day int) int64 {
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	// Year 0 begins in March of year 0; earlier dates are in the previous cycle.
	cycle := 0
	if year < 0 {
		cycle, year = -1, year+400
	}
	dayOfYear := (153*month+2)/5 + day - 1
	days := year*365 + year/4 - year/100 + year/400 + dayOfYear
	return int64(days + cycle*146097 - 719468)
}

// quantity parses a quantity that is a string without escapes. Its text is part of
// the value, so it is shared. ok is false for any other value, and for rejected
// quantities: unmarshal returns the error.
func (d *Decoder) quantity(dst unsafe.Pointer, i int) (end int, ok bool) {
	if d.data[i] != '"' {
		return 0, false
	}
	end = plainEnd(d.data, i+1)
	if end >= len(d.data) || d.data[end] != '"' {
		return 0, false
	}
	text := d.data[i+1 : end]
	if quantity.Check(text) != nil {
		return 0, false
	}
	q, err := resource.ParseQuantity(strings.TrimSpace(d.share(text)))
	if err != nil {
		return 0, false
	}
	*(*resource.Quantity)(dst) = q
	return end + 1, true
}

// intOrString parses a string, or a number that fits.
func (d *Decoder) intOrString(dst unsafe.Pointer, i int) (end int, ok bool) {
	v := (*intstr.IntOrString)(dst)
	if d.data[i] == '"' {
		text, end := d.textAt(i)
		if end >= 0 {
			v.Type, v.StrVal = intstr.String, d.share(text)
		}
		return end, true
	}
	n, end, ok := shortInt(d.data, i)
	if !ok || int64(int32(n)) != n {
		return 0, false
	}
	v.Type, v.IntVal = intstr.Int, int32(n)
	return end, true
}
