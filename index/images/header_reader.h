#pragma once

#include "index/images/image_bytes.h"
#include "index/images/image_header.h"

namespace ofindex {

/// Reads the header of an image of one of six formats, which is recognised by its first bytes:
///
///   jpeg   all kinds of frames: baseline, progressive, lossless, arithmetic
///   png    a palette has 3 channels, even if other chunks make some of its colors transparent
///   gif    the size of the screen, on which all frames are drawn; 3 channels
///   webp   lossy, lossless, and extended; 4 channels if the header announces alpha, otherwise 3
///   bmp    Windows and OS/2 headers; 4 channels if there is a mask for alpha, otherwise 3
///   tiff   the first image of the file; classic TIFF and BigTIFF, in both byte orders
///
/// Reads a bounded number of bytes, mostly 30; allocates nothing; never fails. Anything may be passed.
[[nodiscard]] ImageHeader ReadImageHeader(ImageBytes& image);

}  // namespace ofindex
