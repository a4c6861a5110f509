//! Pictures of the page with secrets painted over, and the page's visible text.

use std::io::Cursor;

use base64::Engine as _;
use clicket_guard::observation::Handle;
use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::{CallError, PageError};
use crate::frames::FrameLooks;
use crate::limits::{CALL_MS, FRAME_MS, HIDDEN_BOXES_MAX, PICTURE_PIXELS_MAX, SCREENSHOT_MS, VISIBLE_TEXT_CHARS_MAX};
use crate::observe::Remembered;
use crate::raw::RawBox;
use crate::state::World;
use crate::world::{Argument, BOXES_TO_HIDE, VISIBLE_TEXT};

/// What is painted over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hide {
    /// Every filled field that conceals its value.
    SecretFields,
    /// Those, and these controls.
    SecretFieldsAnd(Vec<Handle>),
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The page could not be asked.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The page shows a known secret as text, so no picture is taken.
    #[error("the page shows a secret as text, so no picture of it is kept")]
    ShowsSecret,
    /// The browser's picture cannot be read, painted or written.
    #[error("the browser's picture cannot be used")]
    Unusable,
}

#[derive(Deserialize)]
struct Captured {
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_visual_viewport: Viewport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    client_width: f64,
}

impl Browser {
    /// A PNG of the viewport with the boxes painted over. Known secrets are those of the last look's scrubber.
    ///
    /// # Errors
    /// The page shows a known secret as text, cannot be asked, or the picture cannot be read.
    pub async fn screenshot(&mut self, hide: Hide) -> Result<Vec<u8>, PictureError> {
        self.let_dialogs_go();
        let frames = self.look().await?.frames;
        let before = self.boxes(&hide, &frames).await?;
        let metrics: Metrics = self.page_call("Page.getLayoutMetrics", json!({})).await.map_err(PageError::Call)?;
        let captured: Captured = self.capture().await.map_err(PageError::Call)?;
        // Taken again, since a page may move a field while its picture is taken.
        let after = self.boxes(&hide, &frames).await?;
        let text = self.visible_text().await?;
        if self.scrub.finds(text.as_bytes()) || frames.looks.iter().any(|frame| self.scrub.finds(frame.raw.text.as_bytes())) {
            return Err(PictureError::ShowsSecret);
        }
        let png = base64::engine::general_purpose::STANDARD.decode(captured.data).map_err(|_| PictureError::Unusable)?;
        let boxes: Vec<RawBox> = before.into_iter().chain(after).collect();
        paint_over(&png, &boxes, metrics.css_visual_viewport.client_width).ok_or(PictureError::Unusable)
    }

    /// The page's visible text, at most 200,000 characters. The page chose every word of it.
    ///
    /// # Errors
    /// As for [`Browser::observe`].
    pub async fn visible_text(&self) -> Result<String, PageError> {
        self.let_dialogs_go();
        self.page_function(VISIBLE_TEXT, [json!(VISIBLE_TEXT_CHARS_MAX)], CALL_MS).await
    }

    async fn capture(&self) -> Result<Captured, CallError> {
        let params = json!({ "format": "png", "captureBeyondViewport": false, "optimizeForSpeed": true });
        self.page_call_within("Page.captureScreenshot", params, SCREENSHOT_MS).await
    }

    /// In the page and in its frames. A frame that was not read, or does not answer now, is painted over as a whole.
    async fn boxes(&self, hide: &Hide, frames: &FrameLooks) -> Result<Vec<RawBox>, PageError> {
        let handles: &[Handle] = match hide {
            Hide::SecretFields => &[],
            Hide::SecretFieldsAnd(handles) => handles,
        };
        let controls: Vec<&Remembered> = handles.iter().filter_map(|handle| self.memory.get(handle)).collect();
        let keys_in = |path_of: Option<&World>| -> Vec<u64> {
            let there = controls.iter().filter(|control| match path_of {
                Some(world) => control.world == *world,
                None => control.path.is_empty(),
            });
            there.map(|control| control.key).collect()
        };
        let mut boxes: Vec<RawBox> = self.page_function(BOXES_TO_HIDE, [json!(keys_in(None))], CALL_MS).await?;
        boxes.extend(frames.unread_places.iter().map(|place| place.shown()));
        for frame in &frames.looks {
            let arguments = [json!(keys_in(Some(&frame.world))), json!(frame.place)].map(Argument::Plain).into();
            match self.page_function_in::<Vec<RawBox>>(&frame.world, BOXES_TO_HIDE, arguments, FRAME_MS).await {
                Ok(secret) => boxes.extend(secret),
                Err(_) => boxes.push(frame.place.shown()),
            }
        }
        Ok(boxes)
    }
}

/// Decodes, paints solid rectangles, encodes. Fails closed on anything that is not an 8-bit picture of a sane size.
fn paint_over(png: &[u8], boxes: &[RawBox], css_width: f64) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    let channels = reader.output_color_type().0.samples();
    let size = reader.output_buffer_size().filter(|size| *size <= PICTURE_PIXELS_MAX.saturating_mul(4))?;
    let mut pixels = vec![0u8; size];
    let frame = reader.next_frame(&mut pixels).ok()?;
    if boxes.len() > HIDDEN_BOXES_MAX || !(css_width.is_finite() && css_width > 0.0) {
        return None;
    }
    let scale = f64::from(width) / css_width;
    for rectangle in boxes {
        paint(&mut pixels, frame.line_size, channels, rectangle, scale, (width, height));
    }
    encode(&pixels, width, height, frame.color_type)
}

fn paint(pixels: &mut [u8], line: usize, channels: usize, rectangle: &RawBox, scale: f64, size: (u32, u32)) {
    let edge = |css: f64, max: u32, round: fn(f64) -> f64| -> usize {
        let pixel = if css.is_finite() { round(css * scale).clamp(0.0, f64::from(max)) } else { 0.0 };
        // In range by the clamp above.
        pixel as usize
    };
    let (left, right) = (edge(rectangle.x, size.0, f64::floor), edge(rectangle.x + rectangle.width, size.0, f64::ceil));
    let (top, bottom) = (edge(rectangle.y, size.1, f64::floor), edge(rectangle.y + rectangle.height, size.1, f64::ceil));
    for row in pixels.chunks_mut(line.max(1)).take(bottom).skip(top) {
        for pixel in row.chunks_mut(channels.max(1)).take(right).skip(left) {
            pixel.fill(0x40);
            if let (4, Some(alpha)) = (channels, pixel.last_mut()) {
                *alpha = 0xff;
            }
        }
    }
}

fn encode(pixels: &[u8], width: u32, height: u32, color: png::ColorType) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
#[path = "screenshot_tests.rs"]
mod tests;
